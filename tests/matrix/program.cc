// One program with most of what transactions may hold, for every combination of compiler flags (matrix_test.py).
#include "program.h"

#include <perdure/perdure.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#ifdef __cpp_exceptions
#include <stdexcept>
#endif

#include "deferred_runtime.h"

namespace {

using Sum = std::uint64_t;

struct Shape {
  virtual ~Shape() = default;
  virtual Sum area() const = 0;
  virtual void grow(unsigned by) { scale += by; }
  unsigned scale = 1;
};

struct Square : Shape {
  explicit Square(unsigned side) : side(side) {}
  Sum area() const override { return Sum{side} * side * scale; }
  unsigned side;
};

struct Named {
  virtual ~Named() = default;
  virtual std::string name() const { return "a name that is too long to be kept in place"; }
};

struct Label : Square, virtual Named {
  using Square::Square;
  std::string name() const override { return std::to_string(area()); }
};

struct [[gnu::packed]] Packed {
  char tag = 'a';
  std::uint64_t wide = 1;
  double real = 0.5;
};

struct State {
  std::map<std::string, long> ordered;
  std::unordered_map<int, std::vector<int>> hashed;
  std::vector<std::unique_ptr<Shape>> shapes;
  std::shared_ptr<Label> label = std::make_shared<Label>(3U);
  std::function<Sum(Sum)> function = [this](Sum value) { return total += value; };
  std::atomic<int> counter{0};
  Packed packed;
  long double extended = 1.5L;
  unsigned field : 5;
  unsigned char bytes[64] = {};
  Sum total = 0;
};

Sum add_all(int count, ...) {
  std::va_list list;
  va_start(list, count);
  Sum sum = 0;
  for (int i = 0; i < count; ++i) sum += va_arg(list, Sum);
  va_end(list);
  return sum;
}

const std::vector<int>& table() {
  static const std::vector<int> numbers = {5, 3, 8, 1};
  return numbers;
}

thread_local Sum of_thread = 1;

Sum containers(State& state) {
  for (int i = 0; i < 20; ++i) {
    state.ordered["key " + std::to_string(i % 7)] += i;
    state.hashed[i % 5].push_back(i);
  }
  state.ordered.erase("key 3");
  std::sort(state.hashed[2].begin(), state.hashed[2].end(), std::greater<>());
  Sum sum = state.ordered.size();
  for (const auto& [key, value] : state.ordered) sum = sum * 31 + key.size() + static_cast<Sum>(value);
  return sum + static_cast<Sum>(state.hashed[2].front());
}

Sum objects(State& state) {
  state.shapes.push_back(std::make_unique<Square>(4U));
  state.shapes.push_back(std::make_unique<Label>(5U));
  Sum sum = 0;
  for (const auto& shape : state.shapes) {
    shape->grow(2);
    sum += shape->area() + state.function(sum);
  }
  const auto copy = state.label;
  copy->grow(1);
  return sum * 3 + copy->name().size() + static_cast<Sum>(copy.use_count());
}

Sum memory(State& state, int length) {
  unsigned char local[64];
  std::memset(state.bytes + 3, length, 17);
  std::memmove(state.bytes + 5, state.bytes, 40);
  std::memcpy(local, state.bytes, static_cast<std::size_t>(length));
  state.packed.wide += local[7];
  state.packed.real *= 1.5;
  state.extended *= 1.25L;
  state.field = (state.field + 7) % 32;
  state.counter.fetch_add(3);
  of_thread += 2;
  Sum sum = add_all(3, state.packed.wide, Sum{local[4]}, of_thread) + static_cast<Sum>(state.extended);
  for (const int number : table()) sum = sum * 7 + static_cast<Sum>(number);
  return sum + state.field + static_cast<Sum>(state.counter);
}

#ifdef __cpp_exceptions
Sum exceptions(State& state) {
  Sum caught = 0;
  for (const int value : {1, -1}) {
    try {
      state.total += 1;
      if (value < 0) throw std::out_of_range("negative");
    } catch (const std::exception& error) {
      caught += std::strlen(error.what());
    }
  }
  return caught;
}

/// An exception that leaves a transaction rolls it back.
bool leaves(State& state) {
  const Sum before = state.total;
  try {
    TM_BEGIN {
      state.total = 12345;
      state.function(3);
      throw 5;
    } TM_END;
  } catch (int) {
    return state.total == before;
  }
  return false;
}
#else
Sum exceptions(State& state) { return state.total; }
bool leaves(State&) { return true; }
#endif

Sum work(State& state, int length) {
  return containers(state) * 5 + objects(state) * 3 + memory(state, length) + exceptions(state);
}

}  // namespace

bool does_the_same() {
  // Kept until the process ends: the test runtime's memory cannot be given to operator delete.
  State& plain = *new State();
  State& shared = *new State();
  plain.field = shared.field = 3;
  for (int round = 0; round < 2; ++round) {
    of_thread = 1;
    const Sum expected = work(plain, 20 + round);
    of_thread = 1;
    Sum actual = 0;
    TM_BEGIN { actual = work(shared, 20 + round); } TM_END;
    if (actual != expected) return false;
  }
  return deferred_runtime::aborted_attempts() > 20 && leaves(shared);
}
