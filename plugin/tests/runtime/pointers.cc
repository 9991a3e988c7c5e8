// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2 -g
// RUN: %if long %{ %run_on_deferred_runtime -O3 -fno-rtti %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -flto -fuse-ld=lld %}
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only

// Calls through function pointers, of virtual functions and of std::function do in transactions what they do outside.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "compare.h"

namespace {

struct Big {
  std::array<std::uint64_t, 9> words;
};

struct Shape {
  virtual ~Shape() { *destroyed += 1; }
  virtual std::uint64_t area() = 0;
  virtual Big as_big(Big seed) {
    seed.words[1] += area();
    return seed;
  }
  std::uint64_t* destroyed = nullptr;
};

struct Named {
  virtual ~Named() = default;
  virtual void rename(const char* text) { std::strncpy(name, text, sizeof name - 1); }
  virtual std::uint64_t checked(std::uint64_t limit) = 0;
  char name[16] = {};
};

struct Square : Shape {
  std::uint64_t side = 3;
  std::uint64_t area() override { return side++ * 5; }
};

// `Named` is not the first base, and `Base` is a virtual one: calls go through thunks.
struct Label : Square, virtual Named {
  std::uint64_t checked(std::uint64_t limit) override {
    side += 1;
    if (side > limit) throw std::out_of_range("side");
    return side;
  }
  std::uint64_t area() override { return 7 * Square::area(); }
};

using Operation = std::uint64_t (*)(std::uint64_t&, std::uint64_t);
std::uint64_t add(std::uint64_t& to, std::uint64_t value) { return to += value; }
std::uint64_t times(std::uint64_t& to, std::uint64_t value) { return to *= value; }

struct Member {
  std::uint64_t value = 1;
  std::uint64_t next(int by) { return value += static_cast<unsigned>(by); }
  virtual std::uint64_t previous(int by) { return value -= static_cast<unsigned>(by); }
};

struct Objects {
  std::uint64_t destroyed = 0;
  std::uint64_t total = 5;
  Square square;
  Label label;
  Shape* shapes[2] = {&square, &label};
  Named* named = &label;
  Operation operations[3] = {add, times, [](std::uint64_t& to, std::uint64_t value) { return to ^= value; }};
  double (*function)(double) = std::sqrt;
  void* (*allocate)(std::size_t) = std::malloc;
  Member member;
  std::uint64_t (Member::*methods[2])(int) = {&Member::next, &Member::previous};
  std::function<std::uint64_t(std::uint64_t)> small = [this](std::uint64_t value) { return total += value; };
  std::function<std::uint64_t(std::uint64_t)> large;
  std::vector<std::function<void()>> tasks;
  Big big = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};

  Objects() { square.destroyed = label.destroyed = &destroyed; }
};

std::uint64_t virtual_calls(Objects& objects) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 4; ++i)
    for (Shape* const shape : objects.shapes) {
      sum = sum * 31 + shape->area();
      objects.big = shape->as_big(objects.big);
    }
  objects.named->rename("a label");
  for (std::uint64_t limit = 100; limit > 0; limit /= 10) {
    try {
      sum += objects.named->checked(limit);
    } catch (const std::out_of_range&) {
      sum += 1000;
    }
  }
  std::unique_ptr<Shape> owned = std::make_unique<Label>();
  owned->destroyed = &objects.destroyed;
  sum += owned->area();
  owned = std::make_unique<Square>();
  owned->destroyed = &objects.destroyed;
  owned.reset();
  return sum + objects.big.words[1] + objects.destroyed + std::strlen(objects.named->name);
}

std::uint64_t function_pointers(Objects& objects) {
  for (const Operation operation : objects.operations) operation(objects.total, 7);
  objects.total += static_cast<std::uint64_t>(objects.function(static_cast<double>(objects.total)));
  for (const auto method : objects.methods) objects.total += (objects.member.*method)(3);
  auto* const block = static_cast<char*>(objects.allocate(8));
  std::strcpy(block, "text");
  std::array<std::uint64_t, 9> sorted = objects.big.words;
  std::sort(sorted.begin(), sorted.end(), +[](std::uint64_t a, std::uint64_t b) { return a % 5 < b % 5; });
  return objects.total + static_cast<unsigned char>(block[3]) + sorted[0] + sorted[8];
}

std::uint64_t functions(Objects& objects) {
  const Big by_value = objects.big;
  const std::string text = "a text that is too long for the string itself to hold";
  objects.large = [&objects, by_value, text](std::uint64_t value) {
    objects.total += by_value.words[2] + text.size();
    if (value > 20) throw std::runtime_error("too large");
    return value;
  };
  std::uint64_t sum = 0;
  for (std::uint64_t i = 15; i < 23; ++i) {
    sum += objects.small(i);
    try {
      sum += objects.large(i);
    } catch (const std::exception& error) {
      sum += 10 + std::strlen(error.what());
    }
  }
  std::uint64_t* const total = &objects.total;
  for (int i = 0; i < 5; ++i) objects.tasks.push_back([total, i] { *total = *total * 3 + static_cast<unsigned>(i); });
  objects.tasks.erase(objects.tasks.begin() + 2);
  auto copy = objects.tasks;
  for (const auto& task : copy) task();
  const std::function<void()> none;
  try {
    none();
  } catch (const std::bad_function_call&) {
    sum += 3;
  }
  return sum + objects.total + (objects.large ? 1 : 0);
}

}  // namespace

int main() {
  // Kept until the process ends: memory of the arena cannot be given to operator delete.
  auto& plain = *new Objects;
  auto& shared = *new Objects;
  for (int round = 0; round < 2; ++round) {
    compare("virtual calls", plain, shared, [](Objects& objects) { return virtual_calls(objects); });
    compare("function pointers", plain, shared, [](Objects& objects) { return function_pointers(objects); });
    compare("std::function", plain, shared, [](Objects& objects) { return functions(objects); });
  }
}
