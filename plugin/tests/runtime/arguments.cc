// RUN: %run_on_deferred_runtime -O0 -Wno-vla-cxx-extension
// RUN: %run_on_deferred_runtime -O2 -Wno-vla-cxx-extension
// RUN: %if long %{ %run_on_deferred_runtime -O2 -Wno-vla-cxx-extension -fplugin-arg-perdure-write-only %}

// Variable arguments, and memory of the stack whose size is known at run time only.
#include <alloca.h>

#include <cstdarg>
#include <cstdint>
#include <cstring>

#include "compare.h"

namespace {

struct Pair {
  long first;
  double second;
};

struct Data {
  std::uint64_t sum = 7;
  char name[20] = "a name";
  Pair pair = {3, 4.5};
};

std::uint64_t once(Data& data, va_list list) {
  std::uint64_t sum = 0;
  for (;;) {
    const char kind = static_cast<char>(va_arg(list, int));
    if (kind == 'i') sum = sum * 3 + static_cast<unsigned>(va_arg(list, int));
    if (kind == 'd') sum += static_cast<std::uint64_t>(va_arg(list, double) * 8);
    if (kind == 's') sum += std::strlen(va_arg(list, const char*));
    if (kind == 'p') data.pair.first += va_arg(list, Pair).first;
    if (kind == 'x') *va_arg(list, std::uint64_t*) += 5;
    if (kind == 0) return sum;
  }
}

std::uint64_t sum_of(Data& data, va_list list) {
  va_list again;
  va_copy(again, list);
  const std::uint64_t sum = once(data, list);
  const std::uint64_t twice = sum * 5 + once(data, again);
  va_end(again);
  return twice;
}

[[gnu::noinline]] std::uint64_t format(Data& data, int fixed, ...) {
  va_list list;
  va_start(list, fixed);
  data.sum += sum_of(data, list) + static_cast<unsigned>(fixed);
  va_end(list);
  return data.sum;
}

[[gnu::noinline]] std::uint64_t on_stack(Data& data, unsigned size) {
  char variable[size];  // an extension
  auto* const block = static_cast<std::uint64_t*>(alloca(size * sizeof(std::uint64_t)));
  std::memset(variable, 3, size);
  std::uint64_t sum = 0;
  for (unsigned i = 0; i < size; ++i) {
    block[i] = data.sum + static_cast<unsigned char>(variable[i]) * i;
    sum = sum * 7 + block[i / 2];
  }
  data.name[1] = variable[0];
  return data.sum = sum;
}

std::uint64_t work(Data& data) {
  std::uint64_t result = 0;
  for (int i = 0; i < 3; ++i) {
    // More than there are registers for, of both kinds.
    result += format(data, i, 'i', 3, 'd', 2.5, 'i', 5, 's', data.name, 'p', data.pair, 'd', 1.25, 'x', &data.sum, 'd',
                     3.0, 'd', 4.0, 'd', 5.0, 'd', 6.0, 'd', 7.0, 'd', 8.0, 'd', 9.0, 'i', i, 0);
    result = result * 31 + on_stack(data, static_cast<unsigned>(20 + i));
  }
  return result + static_cast<std::uint64_t>(data.pair.first) + std::strlen(data.name);
}

}  // namespace

int main() {
  Data plain, shared;
  compare("variable arguments", plain, shared, [](Data& data) { return work(data); });
}
