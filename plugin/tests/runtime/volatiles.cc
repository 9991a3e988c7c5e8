// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2
// RUN: %if long %{ %run_on_deferred_runtime -O1 %}
// RUN: %if long %{ %run_on_deferred_runtime -O3 -g %}
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only
// RUN: %run_on_deferred_runtime -O1 -fplugin-arg-perdure-checked

// What is volatile does the same in a transaction as outside, and an abort takes it back: members, arrays, bit-fields,
// blocks, blocks of the transaction's own, its locals, and locals of the function that runs it.
#include <complex>
#include <cstdint>
#include <cstring>

#include "compare.h"

namespace {

enum class Colour : std::uint8_t { red, green };

struct Registers {
  volatile bool flag = true;
  volatile char character = 'c';
  volatile std::int8_t small = -3;
  volatile std::uint16_t medium = 600;
  volatile std::int32_t number = -70000;
  volatile std::uint64_t large = 1ULL << 40;
  volatile float real = 1.5F;
  volatile double precise = 2.25;
  volatile long double longest = 3.125L;
  volatile unsigned __int128 widest = 9;
  volatile Colour colour = Colour::red;
  const volatile char* volatile text = nullptr;
  volatile int three : 3 = 1;
  volatile int thirteen : 13 = -5;
  volatile std::uint32_t array[5] = {1, 2, 3, 4, 5};
  std::uint64_t plain = 4;
  volatile int* volatile target = nullptr;
};

std::uint64_t types(Registers& all) {
  std::uint64_t sum = all.flag + all.character + all.medium;
  all.flag = !all.flag;
  all.character = static_cast<char>(all.character + 1);
  all.small = static_cast<std::int8_t>(all.small * 5);
  all.medium = static_cast<std::uint16_t>(all.medium + 3);
  all.number = all.number * 3;
  all.large = all.large + static_cast<std::uint64_t>(all.number);
  all.real = all.real * 2;
  all.precise = all.precise + all.real;
  all.longest = all.longest + all.precise;
  all.widest = all.widest * all.widest << 70;
  all.colour = all.colour == Colour::red ? Colour::green : Colour::red;
  all.three = all.three ^ 2;
  all.thirteen = all.thirteen * 9;
  for (int i = 0; i < 5; ++i) all.array[i] = all.array[(i + 2) % 5] + static_cast<std::uint32_t>(all.thirteen);
  for (int i = 0; i < 5; ++i) sum = sum * 31 + all.array[i];
  return sum + all.large + static_cast<std::uint64_t>(all.longest) + static_cast<std::uint64_t>(all.widest >> 68) +
         static_cast<std::uint64_t>(all.small) + static_cast<std::uint64_t>(all.three) * 7;
}

// The same place by ordinary accesses as well: both kinds see what the other wrote.
std::uint64_t mixed(Registers& all) {
  std::uint64_t sum = all.plain;
  *const_cast<volatile std::uint64_t*>(&all.plain) = sum + 5;
  all.plain *= 3;
  sum += *const_cast<volatile std::uint64_t*>(&all.plain);
  auto* const own = new std::uint64_t[3]{sum, 2, 3};
  *const_cast<volatile std::uint64_t*>(own) = 11;
  own[1] += own[0];
  *const_cast<volatile std::uint64_t*>(own + 1) = own[1] * 2;
  sum += own[0] * own[1] + own[2];
  delete[] own;
  return sum;
}

std::uint64_t blocks(Registers& all) {
  volatile std::uint64_t local[4] = {1, 2, 3, 4};
  for (int i = 1; i < 4; ++i) local[i] = local[i] + local[i - 1] + all.array[i];
  __builtin_memset(const_cast<std::uint32_t*>(all.array + 1), 1, 8);
  volatile Registers* const same = &all;
  same->number = static_cast<std::int32_t>(local[3]);
  all.target = &all.number;
  *all.target = *all.target + 1;
  return local[3] + all.array[1] + static_cast<std::uint64_t>(all.number);
}

// In every attempt: an abort that does not take it back shows.
[[gnu::noinline]] std::uint64_t captured(std::uint64_t& shared) {
  volatile std::uint64_t sum = 5;
  std::uint64_t plain = 1;
  TM_BEGIN {
    for (int i = 0; i < 4; ++i) {
      sum = sum + 2;
      *const_cast<volatile std::uint64_t*>(&plain) = plain + 1;
      plain += 10;
      shared = shared + sum + plain;
    }
  } TM_END;
  return sum * 1000 + plain;
}

}  // namespace

int main() {
  for (const auto work : {types, mixed, blocks}) {
    Registers plain, shared;
    for (int round = 0; round < 3; ++round) compare("volatile accesses", plain, shared, work);
  }
  std::uint64_t shared = 0;
  if (captured(shared) != 13 * 1000 + 45) return 1;
}
