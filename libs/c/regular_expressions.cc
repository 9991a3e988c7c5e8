// Clones of the functions of <regex.h> (libs/abi/c_library.def). What an expression is compiled to is the C library's,
// on its heap, and does not change for those who use it: copies of a regex_t lead to the same. So the C library is
// called on private copies, and transactions only see to it that what is compiled or freed is so once they have
// committed.
#include <regex.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <vector>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"
#include "perdure/handlers.h"
#include "sched/of_thread.h"

namespace {

using namespace perdure::c;

/// What attempts of this thread have compiled that did not commit, or may yet.
class Compiled {
 public:
  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() { free_from(0); }

  /// \returns the result of `compile`.
  template <class Compile>
  int add(regex_t& made, Compile&& compile) {
    const std::size_t count = read_variable(&of_attempt_);
    free_from(count);
    if (count == 0) keep_at_commit();
    all_.reserve(count + 1);
    const int result = compile(&made);
    if (result != 0) return result;
    all_.push_back(made);
    write_variable(&of_attempt_, count + 1);
    return result;
  }

 private:
  void free_from(std::size_t count) {
    for (; all_.size() > count; all_.pop_back()) regfree(&all_.back());
  }

  void keep_at_commit() {
    auto* const room = static_cast<Compiled**>(perdure_begin_handler(sizeof(Compiled*), alignof(Compiled*)));
    *room = this;
    const auto keep = [](void* self) {
      Compiled& compiled = **static_cast<Compiled**>(self);
      compiled.all_.clear();
      compiled.of_attempt_ = 0;
    };
    perdure_end_handler(static_cast<int>(perdure::detail::HandlerEvent::commit), room, keep, [](void*) {});
  }

  std::vector<regex_t> all_;
  std::size_t of_attempt_ = 0;  // a variable of the transaction: an abort sets it back, and who is behind is dead
};

void free_at_commit(const regex_t& regex) {
  void* const room = perdure_begin_handler(sizeof(regex_t), alignof(regex_t));
  new (room) regex_t(regex);
  perdure_end_handler(
      static_cast<int>(perdure::detail::HandlerEvent::commit), room,
      [](void* copy) { regfree(static_cast<regex_t*>(copy)); }, [](void*) {});
}

}  // namespace

extern "C" {

int perdure_tm_regcomp(regex_t* regex, const char* pattern, int flags) {
  PrivateMemory memory;
  const char* const copy = copy_text(memory, pattern);
  regex_t made{};
  const int result =
      perdure::sched::of_thread<Compiled>().add(made, [&](regex_t* to) { return regcomp(to, copy, flags); });
  write_variable(regex, made);
  return result;
}

int perdure_tm_regexec(const regex_t* regex, const char* text, std::size_t count, regmatch_t* matches, int flags) {
  PrivateMemory memory;
  const regex_t copy = read_variable(regex);
  const bool is_range = (flags & REG_STARTEND) != 0;
  if (copy.no_sub) count = 0;
  auto* const found = memory.room_for<regmatch_t>(std::max<std::size_t>(count, 1));
  if (is_range) found[0] = read_variable(matches);
  const char* const subject =
      is_range ? memory.copy(text, static_cast<std::size_t>(found[0].rm_eo)) : copy_text(memory, text);
  const int result = regexec(&copy, subject, count, found, flags);
  if (result == 0 && count > 0) perdure_write_bytes(matches, found, count * sizeof(regmatch_t));
  return result;
}

/// As outside: what is freed once more is nothing.
void perdure_tm_regfree(regex_t* regex) {
  regex_t copy = read_variable(regex);
  if (copy.buffer != nullptr || copy.fastmap != nullptr || copy.translate != nullptr) free_at_commit(copy);
  copy.buffer = nullptr;
  copy.allocated = 0;
  copy.fastmap = nullptr;
  copy.translate = nullptr;
  write_variable(regex, copy);
}

/// The text of an error says nothing of the expression.
std::size_t perdure_tm_regerror(int error, const regex_t* /*regex*/, char* to, std::size_t size) {
  PrivateMemory memory;
  const std::size_t length = regerror(error, nullptr, nullptr, 0);
  if (size == 0) return length;
  auto* const text = memory.room_for<char>(length);
  regerror(error, nullptr, text, length);
  const std::size_t copied = std::min(length, size);
  text[copied - 1] = '\0';
  perdure_write_bytes(to, text, copied);
  return length;
}

}  // extern "C"
