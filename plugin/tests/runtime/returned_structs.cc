// RUN: %run_on_deferred_runtime -O0
// RUN: %if long %{ %run_on_deferred_runtime -O1 -g %}
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O0 -fno-elide-constructors %}
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only

// Structs that functions return, in registers and through memory (sret), where the caller has said: in a local variable, in
// shared memory, in a block that was just allocated.
#include <complex>
#include <cstdint>
#include <functional>
#include <new>

#include "compare.h"

namespace {

struct Large {
  std::uint64_t words[9];
};

struct InRegisters {
  std::uint64_t first;
  double second;
};

/// Always returned through memory, and it knows where it is.
struct Located {
  explicit Located(std::uint64_t value) : self(this), value(value) {}
  Located(const Located& other) : self(this), value(other.value + 1) {}
  Located& operator=(const Located& other) {
    value = other.value;
    return *this;
  }
  ~Located() { value = 0; }
  bool is_whole() const { return self == this; }
  const Located* self;
  std::uint64_t value;
};

struct Makers {
  virtual ~Makers() = default;
  virtual Large make(std::uint64_t seed) const { return {{seed, seed + 1, seed * 2}}; }
};
struct OtherMakers : Makers {
  Large make(std::uint64_t seed) const override { return {{seed * 3, 5, 7, seed}}; }
};

struct Objects {
  Large large = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
  InRegisters pair = {3, 4.5};
  std::complex<long double> number = {1.5L, 2.5L};
  Located located{5};
  alignas(Located) unsigned char slot[sizeof(Located)] = {};
  std::uint64_t step = 1;
  OtherMakers other;
  const Makers* makers = &other;
  Large (*function)(Objects&, std::uint64_t) = nullptr;
  std::function<Large(const Large&)> task = [this](const Large& from) {
    Large result = from;
    result.words[5] ^= step++;
    return result;
  };
};

std::uint64_t digest(const Large& large) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : large.words) sum = sum * 31 + word;
  return sum;
}

/// Reads what it may be writing to.
[[gnu::noinline]] Large rotated(Objects& objects, std::uint64_t by) {
  Large result;
  for (std::uint64_t i = 0; i < 9; ++i) result.words[i] = objects.large.words[(i + by) % 9] + objects.step++;
  return result;
}

[[gnu::noinline]] Large nested(Objects& objects, int depth) {
  if (depth == 0) return rotated(objects, 2);
  Large inner = nested(objects, depth - 1);
  inner.words[depth] += objects.large.words[0]++;
  return inner;
}

[[gnu::noinline]] InRegisters pair_of(Objects& objects) {
  objects.step += 3;
  return {objects.pair.first * 7 + objects.step, objects.pair.second / 3};
}

[[gnu::noinline]] std::complex<long double> product(Objects& objects) { return objects.number * objects.number; }

[[gnu::noinline]] Located located(Objects& objects, std::uint64_t value) {
  Located result(value + objects.step++);
  if (value % 5 == 4) throw result.value;
  return result;
}

std::uint64_t into_locals(Objects& objects) {
  const Large large = nested(objects, 4);
  const InRegisters pair = pair_of(objects);
  return digest(large) + digest(rotated(objects, 3)) + pair.first + static_cast<std::uint64_t>(pair.second * 64);
}

std::uint64_t into_shared(Objects& objects) {
  objects.large = rotated(objects, 1);
  objects.large = nested(objects, 3);
  objects.pair = pair_of(objects);
  objects.number = product(objects);
  return digest(objects.large) + objects.pair.first + static_cast<std::uint64_t>(objects.number.imag());
}

std::uint64_t into_new(Objects& objects) {
  Large* const block = new Large(rotated(objects, 2));
  Located* const whole = new Located(located(objects, 1));
  Located* const again = new (objects.slot) Located(located(objects, 2));
  const std::uint64_t sum = digest(*block) * 3 + whole->value * 5 + again->value;
  const bool are_whole = whole->is_whole() && again->is_whole();
  again->~Located();
  delete whole;
  delete block;
  return are_whole ? sum : 0;
}

std::uint64_t by_pointers(Objects& objects) {
  objects.function = rotated;
  objects.large = objects.function(objects, 4);
  objects.large = objects.makers->make(objects.step);
  objects.large = objects.task(objects.large);
  const Large local = objects.task(objects.makers->make(digest(objects.large)));
  return digest(objects.large) + digest(local);
}

std::uint64_t thrown(Objects& objects) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 0; i < 6; ++i) {
    try {
      objects.located = located(objects, i);
      sum += new (objects.slot) Located(located(objects, i + 1)) != nullptr;
    } catch (const std::uint64_t value) {
      sum = sum * 31 + value;
    }
  }
  return sum + objects.located.value;
}

}  // namespace

int main() {
  // Kept until the process ends.
  auto& plain = *new Objects;
  auto& shared = *new Objects;
  for (int round = 0; round < 2; ++round) {
    compare("into locals", plain, shared, [](Objects& objects) { return into_locals(objects); });
    compare("into shared memory", plain, shared, [](Objects& objects) { return into_shared(objects); });
    compare("into new blocks", plain, shared, [](Objects& objects) { return into_new(objects); });
    compare("by pointers", plain, shared, [](Objects& objects) { return by_pointers(objects); });
    compare("thrown", plain, shared, [](Objects& objects) { return thrown(objects); });
  }
  // The body's own result.
  const Large expected = rotated(plain, 5);
  const Large actual = perdure::execute([&] { return rotated(shared, 5); });
  if (digest(actual) != digest(expected)) return 1;
  if (deferred_runtime::aborted_attempts() < 50) return 2;
}
