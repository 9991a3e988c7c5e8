// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2 -g
// RUN: %if long %{ %run_on_deferred_runtime -O1 %}
// RUN: %if long %{ %run_on_deferred_runtime -O3 -march=native %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -flto -fuse-ld=lld %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -flto -fuse-ld=lld -fplugin-arg-perdure-checked %}

// Coroutines that transactions start, resume and destroy do there what they do outside; frames go on where they were.
#include <coroutine>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "compare.h"

namespace {

template <class T>
class Generator {
 public:
  struct promise_type {
    T value{};
    std::exception_ptr error;

    Generator get_return_object() { return Generator(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(T yielded) {
      value = std::move(yielded);
      return {};
    }
    void return_void() {}
    void unhandled_exception() { error = std::current_exception(); }
  };

  explicit Generator(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Generator(Generator&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  ~Generator() {
    if (handle_) handle_.destroy();
  }

  bool advance() {
    handle_.resume();
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return !handle_.done();
  }
  const T& value() const { return handle_.promise().value; }

 private:
  std::coroutine_handle<promise_type> handle_;
};

/// Awaits others by symmetric transfer.
template <class T>
class Task {
 public:
  struct promise_type {
    struct Final {
      bool await_ready() noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> handle) noexcept {
        return handle.promise().awaiting;
      }
      void await_resume() noexcept {}
    };

    std::coroutine_handle<> awaiting = std::noop_coroutine();
    T value{};
    std::exception_ptr error;

    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    Final final_suspend() noexcept { return {}; }
    void return_value(T returned) { value = std::move(returned); }
    void unhandled_exception() { error = std::current_exception(); }
  };

  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) {
    handle_.promise().awaiting = awaiting;
    return handle_;
  }
  T await_resume() {
    if (handle_.promise().error) std::rethrow_exception(handle_.promise().error);
    return std::move(handle_.promise().value);
  }
  T run() {
    handle_.resume();
    return await_resume();
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

struct Shared {
  std::vector<std::string> names = {"one", "two", "three"};
  std::vector<std::uint64_t> seen;
  std::unique_ptr<Generator<std::uint64_t>> waiting;
  std::uint64_t sum = 0;
};

Generator<std::uint64_t> squares(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t i = begin; i < end; ++i) co_yield i * i;
}

Generator<std::string> names_of(Shared& shared) {
  for (const std::string& name : shared.names) {
    std::string longer = name + " that is too long for the object itself";
    shared.sum += longer.size();
    co_yield longer;
  }
}

Generator<std::uint64_t> failing(Shared& shared) {
  co_yield ++shared.sum;
  throw std::runtime_error("no more");
}

Task<std::uint64_t> depth(std::uint64_t levels) {
  if (levels == 0) co_return 1;
  co_return 1 + co_await depth(levels - 1);
}

Task<std::string> name_at(Shared& shared, std::size_t index) {
  shared.seen.push_back(index);
  co_return shared.names.at(index);
}

Task<std::string> two_names(Shared& shared, std::size_t first, std::size_t second) {
  std::string both = co_await name_at(shared, first);
  try {
    both += co_await name_at(shared, second);
  } catch (const std::out_of_range&) {
    both += " and no other";
  }
  co_return both;
}

struct Walk {
  virtual ~Walk() = default;
  virtual Task<std::uint64_t> go(Shared& shared) = 0;
};

struct Steps final : Walk {
  std::uint64_t steps = 5;
  Task<std::uint64_t> go(Shared& shared) override {
    for (std::uint64_t i = 0; i < steps; ++i) shared.seen.push_back(co_await depth(i));
    co_return shared.seen.size();
  }
};

std::uint64_t digest(const std::string& text) {
  std::uint64_t result = text.size();
  for (const char each : text) result = result * 31 + static_cast<unsigned char>(each);
  return result;
}

std::uint64_t all_squares(Shared& shared) {
  auto numbers = squares(2, 9);
  while (numbers.advance()) shared.sum += numbers.value();
  return shared.sum;
}

std::uint64_t all_names(Shared& shared) {
  std::string all;
  auto names = names_of(shared);
  while (names.advance()) all += names.value();
  return digest(all);
}

std::uint64_t until_it_fails(Shared& shared) {
  auto numbers = failing(shared);
  try {
    while (numbers.advance()) shared.sum += 10;
  } catch (const std::runtime_error& error) {
    shared.sum += std::string(error.what()).size();
  }
  return shared.sum;
}

std::uint64_t awaited(Shared& shared) {
  shared.sum += depth(1000).run();
  return digest(two_names(shared, 0, 2).run() + two_names(shared, 1, 7).run() + std::to_string(shared.sum));
}

std::uint64_t begun(Shared& shared) {
  shared.waiting = std::make_unique<Generator<std::uint64_t>>(squares(10, 13));
  return shared.waiting->advance() ? shared.waiting->value() : 0;
}

std::uint64_t gone_on(Shared& shared) {
  shared.sum = shared.waiting->advance() ? shared.waiting->value() : 7;
  return shared.sum;
}

std::uint64_t ended(Shared& shared) {
  shared.waiting.reset();
  return ++shared.sum;
}

}  // namespace

int main() {
  Shared plain;
  auto& shared = *new Shared;  // its memory is the runtime's
  compare("squares", plain, shared, all_squares);
  compare("names", plain, shared, all_names);
  compare("an exception", plain, shared, until_it_fails);
  compare("tasks", plain, shared, awaited);
  Steps steps;
  Walk* volatile walk = &steps;
  compare("a virtual function", plain, shared, [&](Shared& each) { return walk->go(each).run(); });
  compare("begun", plain, shared, begun);
  compare("gone on", plain, shared, gone_on);
  plain.waiting->advance();  // each outside of a transaction
  shared.waiting->advance();
  compare("over", plain, shared, gone_on);
  compare("ended", plain, shared, ended);
  if (plain.seen != shared.seen) return 1;
}
