// RUN: %run_on_deferred_runtime -O0
// RUN: %if long %{ %run_on_deferred_runtime -O1 -g %}
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O3 -march=native %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -flto -fuse-ld=lld %}
// RUN: %if long %{ %run_on_deferred_runtime -O0 -fplugin-arg-perdure-write-only %}
// RUN: %if long %{ %run_on_deferred_runtime -O3 -march=native -fplugin-arg-perdure-write-only %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -flto -fuse-ld=lld -fplugin-arg-perdure-checked %}

// Accesses of every width and alignment, the memory intrinsics, passing by value, exceptions and control flow do in
// transactions what they do outside.
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <variant>

#include "compare.h"

namespace {

using Vector = int __attribute__((vector_size(16)));
using WideVector = double __attribute__((vector_size(32)));

struct [[gnu::packed]] Packed {
  char tag;
  std::uint64_t wide;
  float real;
  std::uint16_t narrow;
};

struct BitFields {
  unsigned a : 3;
  unsigned b : 17;
  int c : 9;
  std::uint64_t d : 41;
};

struct Big {
  std::array<std::uint64_t, 12> words;
};

struct Pair {
  int first;
  int second;
};

struct Base {
  int base = 3;
};
struct Left : virtual Base {
  int left = 5;
};
struct Right : virtual Base {
  int right = 7;
};
struct Diamond final : Left, Right {
  int own = 11;
};

struct Values {
  bool flag = true;
  char character = 'a';
  short small = -3;
  float real = 1.5F;
  double wide_real = 2.5;
  long double widest_real = 3.25L;
  __int128 wide = -1;
  Vector vector = {1, 2, 3, 4};
  WideVector wide_vector = {1, 2, 3, 4};
  _BitInt(37) odd = 5;
  Packed packed = {'x', 1, 2, 3};
  BitFields fields = {1, 2, 3, 4};
  Big big = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
  Pair pair = {1, 2};
  unsigned char bytes[200] = {1, 2, 3};
  std::variant<int, double> either = 3;
  int* pointer = nullptr;
  Diamond diamond;
  void (*function)() = nullptr;
  int Values::* member = nullptr;
  int target = 0;
};

std::uint64_t digest(const void* from, std::size_t size) {
  std::uint64_t result = size;
  for (std::size_t i = 0; i < size; ++i) result = result * 31 + static_cast<const unsigned char*>(from)[i];
  return result;
}

[[gnu::noinline]] std::uint64_t sum_of(Big big) {
  big.words[3] += 1;
  std::uint64_t sum = 0;
  for (const auto word : big.words) sum = sum * 3 + word;
  return sum;
}

[[gnu::noinline]] Big reversed(const Big& big) {
  Big result = big;
  for (std::size_t i = 0; i < 6; ++i) std::swap(result.words[i], result.words[11 - i]);
  return result;
}

std::uint64_t scalars(Values& values) {
  values.flag = !values.flag;
  values.character += 1;
  values.small *= 5;
  values.real *= 1.25F;
  values.wide_real /= 3;
  values.widest_real *= values.widest_real;
  values.wide = values.wide * 1000000007 + 5;
  values.odd = values.odd * 77 - 1;
  values.packed.wide += 0x1234567890ULL;
  values.packed.real += 0.5F;
  values.packed.narrow ^= 0xbeef;
  values.fields.a += 3;
  values.fields.b ^= 0x1ffff;
  values.fields.c -= 100;
  values.fields.d *= 12345;
  values.pointer = &values.target;
  *values.pointer += 9;
  values.diamond.base += values.diamond.left + values.diamond.right;
  values.member = &Values::target;
  values.*values.member += 2;
  values.pair = {values.pair.second, values.pair.first + 1};
  values.either = values.either.index() == 0 ? std::variant<int, double>(2.5) : std::variant<int, double>(4);
  return static_cast<std::uint64_t>(values.wide) + static_cast<std::uint64_t>(values.odd) + values.fields.d +
         static_cast<std::uint64_t>(values.widest_real) + values.packed.wide +
         std::bit_cast<std::uint64_t>(values.wide_real) + std::bit_cast<std::uint32_t>(values.real) +
         static_cast<std::uint64_t>(values.target) + digest(&values.packed, sizeof values.packed);
}

std::uint64_t vectors(Values& values) {
  values.vector = values.vector * values.vector + 1;
  values.wide_vector += 0.5;
  for (int i = 0; i < 4; ++i) values.vector[i] ^= values.vector[3 - i];
  return digest(&values.vector, sizeof values.vector) + digest(&values.wide_vector, sizeof values.wide_vector);
}

std::uint64_t memory(Values& values) {
  auto& bytes = values.bytes;
  std::memset(bytes + 3, 0x9c, 11);
  std::memset(&values.big.words[2], 0xff, 16);
  std::memmove(bytes + 5, bytes, 100);
  std::memmove(bytes, bytes + 7, 100);
  std::memcpy(bytes + 150, bytes + 3, 33);
  std::array<unsigned char, 40> local;
  std::memcpy(local.data(), bytes + 1, local.size());
  for (auto& byte : local) byte = static_cast<unsigned char>(byte * 3 + 1);
  std::memmove(bytes + 60, local.data(), local.size());
  std::memcpy(bytes + 101, "constant text", 14);
  std::uint32_t unaligned = 0;
  std::memcpy(&unaligned, bytes + 103, sizeof unaligned);
  std::memcpy(bytes + 121, &unaligned, sizeof unaligned);
  const std::size_t length = bytes[0] % 17U;
  std::memcpy(bytes + 130, local.data() + 2, length);
  bytes[199] = static_cast<unsigned char>(std::strlen(reinterpret_cast<char*>(bytes) + 101));
  return digest(bytes, sizeof bytes) + static_cast<std::uint64_t>(std::memcmp(bytes, local.data(), 4) < 0);
}

std::uint64_t by_value(Values& values) {
  std::uint64_t sum = sum_of(values.big);
  values.big = reversed(values.big);
  const Big copy = values.big;
  values.big.words[1] += sum_of(copy) + sum_of(reversed(copy));
  for (const int value : {1, 2, 3, values.target}) sum = sum * 7 + static_cast<std::uint64_t>(value);
  return sum + sum_of(values.big);
}

void loops(Values& values, int limit) {
  for (int i = 0; i < limit; ++i) {
    values.bytes[i] = static_cast<unsigned char>(values.bytes[i] + values.bytes[limit - i]);
    values.big.words[static_cast<unsigned>(i) % 12] += values.bytes[i];
  }
}

struct Guard {
  Values& values;
  ~Guard() { values.target += 100; }
};

[[gnu::noinline]] int throwing(Values& values, int depth) {
  const Guard guard{values};
  if (depth == 0) throw depth + values.small;
  return throwing(values, depth - 1) + 1;
}

std::uint64_t exceptions(Values& values) {
  std::uint64_t result = 0;
  try {
    throwing(values, 4);
  } catch (const int thrown) {
    values.small = static_cast<short>(values.small + thrown);
    result = static_cast<std::uint64_t>(thrown);
  }
  try {
    if (values.target > 0) throw std::out_of_range("far too far");
  } catch (const std::exception&) {
    values.target -= 1;
  }
  return result + static_cast<std::uint64_t>(values.target);
}

[[gnu::noinline]] std::uint64_t even(Values& values, int n);
[[gnu::noinline]] std::uint64_t odd(Values& values, int n) {
  values.target += n;
  return n == 0 ? 0 : even(values, n - 1) + 1;
}
std::uint64_t even(Values& values, int n) {
  values.small = static_cast<short>(values.small + 1);
  return n == 0 ? 1 : odd(values, n - 1) * 2;
}

int global = 7;
thread_local int of_thread = 5;

std::uint64_t control(Values& values) {
  std::uint64_t sum = even(values, 10);
  for (int i = 0; i < 20; ++i) {
    switch (values.bytes[i] % 5) {
      case 0: sum += 3; continue;
      case 1: values.target ^= i; break;
      case 2: goto out;
      default: sum *= 3;
    }
  }
out:
  // Nested transactions are part of the outer one.
  TM_BEGIN { values.target += perdure::execute([&] { return values.small * 2; }); } TM_END;
  const auto owner = std::make_unique<Pair>(Pair{values.target, 4});
  volatile int opaque = owner->first;
  return sum + static_cast<std::uint64_t>(opaque + owner->second);
}

}  // namespace

int main() {
  Values plain, shared;
  // Twice, so that results of the first round are inputs of the second. The blocks are kept apart to say which one differs.
  for (int round = 0; round < 2; ++round) {
    compare("scalars", plain, shared, [](Values& values) { return scalars(values); });
    compare("vectors", plain, shared, [](Values& values) { return vectors(values); });
    compare("memory", plain, shared, [](Values& values) { return memory(values); });
    compare("by value", plain, shared, [](Values& values) { return by_value(values); });
    compare("exceptions", plain, shared, [](Values& values) { return exceptions(values); });
    compare("control", plain, shared, [](Values& values) { return control(values); });
    compare("loops", plain, shared, [](Values& values) {
      loops(values, 100);
      return digest(values.bytes, sizeof values.bytes) + digest(&values.big, sizeof values.big);
    });
  }
  // Attempts that are undone leave no trace in variables of the program either.
  TM_BEGIN {
    global += 1;
    of_thread += 1;
  } TM_END;
  if (global != 8 || of_thread != 6) return 1;
  std::printf("%lu attempts aborted\n", deferred_runtime::aborted_attempts());
  if (deferred_runtime::aborted_attempts() < 100) return 2;
}
