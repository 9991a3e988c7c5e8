#include "simulate/tracer.h"

#include <algorithm>

#include "persist/domain.h"
#include "persist/simulated.h"
#include "pool/format.h"
#include "simulate/call_stack.h"
#include "simulate/hardware.h"
#include "simulate/images.h"
#include "simulate/notes.h"
#include "simulate/scheduler.h"

namespace perdure::simulate {

void Tracer::start(Trace& trace, const Images& images, AccessObserver* observer) {
  trace_ = &trace;
  images_ = &images;
  observer_ = observer;
  pending_bytes_ = 0;
  pool_in_slot_ = {};
}

void Tracer::file_is_mapped(int descriptor, const void* address) {
  if (!is_on() || !pool::in_window(address)) return;
  const std::uintptr_t pool = images_->pool_of(descriptor);
  std::ranges::replace(pool_in_slot_, pool, 0);  // it is not where it was
  pool_in_slot_[pool::slot_of(address)] = pool;
}

std::uintptr_t Tracer::translated(std::uintptr_t address) const {
  const auto* const pointer = reinterpret_cast<const void*>(address);
  const std::uintptr_t first_place = pool::in_window(pointer) ? pool_in_slot_[pool::slot_of(pointer)] : 0;
  return first_place == 0 ? address : first_place + address % pool::slot_bytes;
}

std::uintptr_t Tracer::in_memory(std::uintptr_t address) const {
  for (std::size_t slot = 0; slot < pool_in_slot_.size(); ++slot)
    if (pool_in_slot_[slot] != 0 && address - pool_in_slot_[slot] < pool::slot_bytes)
      return reinterpret_cast<std::uintptr_t>(pool::slot_address(slot)) + address % pool::slot_bytes;
  return address;
}

void Tracer::stop() {
  complete_store();
  trace_ = nullptr;
}

void Tracer::add(Event::Kind kind, std::uintptr_t address, std::uint64_t value, const void* site) {
  if (!is_on()) return;
  complete_store();
  trace_->push_back({kind, static_cast<std::uint8_t>(scheduler.this_task()), address, value, site});
}

void Tracer::before_load(std::uintptr_t address, std::size_t bytes) {
  if (!is_on()) return;
  complete_store();
  if (observer_ != nullptr) observer_->before_load(translated(address), bytes);
}

void Tracer::before_store(std::uintptr_t address, std::size_t bytes) {
  if (!is_on()) return;
  complete_store();
  if (observer_ != nullptr) observer_->before_store(translated(address), bytes);
  pending_address_ = address;
  pending_bytes_ = bytes;
}

void Tracer::record_store() {
  if (!is_on()) return;
  const std::uintptr_t end = pending_address_ + pending_bytes_;
  pending_bytes_ = 0;
  for (std::uintptr_t word = pending_address_ & ~std::uintptr_t{7}; word < end; word += 8)
    trace_->push_back({Event::Kind::store, static_cast<std::uint8_t>(scheduler.this_task()), translated(word),
                       *reinterpret_cast<const std::uint64_t*>(word), nullptr});
}

void Tracer::flush(std::uintptr_t line, const void* site) {
  if (!is_on()) return;
  complete_store();
  const std::uintptr_t in_pool = translated(line);
  const bool decided = observer_ == nullptr || observer_->is_decided(in_pool);
  add(Event::Kind::flush, in_pool, decided ? hash_of(*reinterpret_cast<const Content*>(line)) : 0, site);
}

void Tracer::file_has_size(int descriptor, std::uint64_t bytes) {
  if (!is_on()) return;
  if (const std::uintptr_t pool = images_->pool_of(descriptor)) add(Event::Kind::resize, pool, bytes);
}

void Tracer::before_hole(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  if (!is_on()) return;
  const std::uintptr_t pool = images_->pool_of(descriptor);
  if (pool == 0) return;
  complete_store();
  // Most of what is given back is zero already, and much of it a hole.
  const std::uintptr_t end = pool + offset + bytes;
  for (std::uintptr_t line = pool + offset; line < end; line += persistence::line_bytes) {
    if (line % pool::page_bytes == 0) line = images_->next_data(line, end);
    if (line == end) break;
    const bool is_decided = observer_ == nullptr || observer_->is_decided(line);
    if (is_decided && *reinterpret_cast<const Content*>(in_memory(line)) == Content{}) continue;
    if (observer_ != nullptr) observer_->before_store(line, persistence::line_bytes);
    add(Event::Kind::clear, line, 0);
  }
}

void Tracer::file_is_synced(int descriptor) {
  if (!is_on()) return;
  if (const std::uintptr_t pool = images_->pool_of(descriptor)) add(Event::Kind::sync, pool, 0);
}

void flush(const void* address) noexcept {
  scheduler.point();
  hardware.before_flush();
  tracer.flush(persistence::line_of(address), __builtin_return_address(0));
}

void fence() noexcept {
  scheduler.point();
  tracer.add(Event::Kind::fence, 0, 0, __builtin_return_address(0));
}

void enter_transaction() noexcept {
  if (tracer.is_on()) tracer.add(Event::Kind::enter, 0, 0, current_call_stack());
}

void leave_transaction() noexcept { tracer.add(Event::Kind::leave, 0, 0); }

void begin(std::uint64_t client, std::uint64_t number) { tracer.add(Event::Kind::begin, client, number); }

void acknowledge(std::uint64_t client, std::uint64_t number) { tracer.add(Event::Kind::acknowledge, client, number); }

}  // namespace perdure::simulate
