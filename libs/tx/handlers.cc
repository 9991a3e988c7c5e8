#include "tx/handlers.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <vector>

#include "alloc/next_layout.h"

namespace perdure::tx {
namespace {

template <class T>
std::vector<T> take_all(log::GrowingArray<T>& array) {
  std::vector<T> all(array.begin(), array.end());
  array.clear();
  return all;
}

}  // namespace

/// What copying it did is committed, so it is destroyed like other objects, also where it is not called.
void Handler::run_after_commit() const {
  std::exception_ptr thrown;
  try {
    if (event == Event::commit) run(object);
  } catch (...) {
    thrown = std::current_exception();
  }
  destroy(object);
  std::free(object);
  if (thrown != nullptr) std::rethrow_exception(thrown);
}

/// What copying it did is undone, but for what it holds itself: so it is not destroyed.
void Handler::run_after_abort() const noexcept {
  if (event != Event::abort) return;
  try {
    run(object);
  } catch (...) {
    // The exception that has ended the transaction goes on.
  }
}

void* Handlers::begin(ExceptionState& objects, std::size_t bytes, std::size_t alignment) {
  are_being_copied_ = true;
  objects_before_ = objects.objects();
  return allocate(objects, bytes, alignment);
}

void Handlers::end(ExceptionState& objects, const Handler& handler) {
  are_being_copied_ = false;
  objects.keep_objects(objects_before_);
  handlers_.push_back(handler);
}

void Handlers::drop(void* room) {
  are_being_copied_ = false;
  *std::find(blocks_.begin(), blocks_.end(), room) = nullptr;
  std::free(room);
}

void* Handlers::allocate(ExceptionState& objects, std::size_t bytes, std::size_t alignment) {
  alloc::take_next_layout();
  void* const block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (block == nullptr) return nullptr;
  blocks_.push_back(block);
  objects.add_object(block, bytes);
  return block;
}

bool Handlers::free(ExceptionState& objects, void* block) {
  for (std::size_t i = blocks_.size(); i-- > 0;) {
    if (blocks_[i] != block) continue;
    blocks_[i] = nullptr;
    while (!blocks_.empty() && blocks_[blocks_.size() - 1] == nullptr) blocks_.pop_back();
    objects.remove_object(block);
    std::free(block);
    return true;
  }
  return false;
}

void Handlers::keep_blocks_since(ExceptionState& objects, std::size_t count) {
  while (blocks_.size() > count) {
    objects.remove_object(blocks_[blocks_.size() - 1]);
    blocks_.pop_back();
  }
}

void Handlers::forget_since(const Mark& mark) {
  for (; handlers_.size() > mark.handlers; handlers_.pop_back()) drop(handlers_.back().object);
  are_being_copied_ = false;
}

void Handlers::free_blocks_since(const Mark& mark) {
  for (; blocks_.size() > mark.blocks; blocks_.pop_back()) std::free(blocks_.back());
}

void Handlers::run_after_commit() {
  blocks_.clear();
  std::exception_ptr first;
  for (const Handler& handler : take_all(handlers_)) {
    try {
      handler.run_after_commit();
    } catch (...) {
      if (first == nullptr) first = std::current_exception();
    }
  }
  if (first != nullptr) std::rethrow_exception(first);
}

void Handlers::run_all_after_abort() noexcept {
  are_being_copied_ = false;
  const auto blocks = take_all(blocks_);
  for (const Handler& handler : take_all(handlers_)) handler.run_after_abort();
  for (void* const block : blocks) std::free(block);
}

void Handlers::free_blocks() {
  are_being_copied_ = false;
  handlers_.clear();
  for (void* const block : take_all(blocks_)) std::free(block);
}

void Handlers::release() {
  handlers_.release();
  blocks_.release();
}

}  // namespace perdure::tx
