// RUN: %run_on_deferred_runtime -O0
// RUN: %run_on_deferred_runtime -O2
// RUN: %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only

// The functions of the C library for memory and strings do in transactions what they do outside, with every offset.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cwchar>

#include "compare.h"

namespace {

constexpr std::size_t size = 96;

struct Texts {
  char first[size] = "the first text, which is longer than a few words, and than the second";
  char second[size] = "the first text, which";
  char number[size] = "  -1234567890123 0x7fp3 0777 1.5e-3rest";
  wchar_t wide[size] = L"a wide text, which goes on";
  wchar_t other[size] = L"a wide text, which";
  std::uint64_t results = 0;
};

/// Opaque: nothing is known of the sizes when compiling.
[[gnu::noinline]] std::size_t offset_of(const Texts& texts, std::size_t round) { return (texts.results + round) % 13; }

std::uint64_t sign(int comparison) { return comparison < 0 ? 1 : comparison > 0 ? 2 : 3; }

std::uint64_t distance(const void* found, const void* from) {
  return found == nullptr ? 999 : static_cast<std::uint64_t>(static_cast<const char*>(found) - static_cast<const char*>(from));
}

std::uint64_t blocks(Texts& texts, std::size_t round) {
  const std::size_t offset = offset_of(texts, round);
  char local[size] = "what is written here is not shared";
  std::memcpy(texts.first + offset, local + 3, 2 * offset);
  std::memmove(texts.first + offset, texts.first + 5, 40);
  std::memset(texts.first + 60 + offset / 4, 'm', offset);
  std::memcpy(local + 1, texts.second + offset, 20);
  std::uint64_t sum = sign(std::memcmp(texts.first, texts.second, size - offset)) * 5;
  sum += sign(std::memcmp(local, texts.second + offset, 9)) * 7;
  sum += sign(bcmp(texts.first + offset, texts.second, 3) != 0) * 11;
  return sum + distance(std::memchr(texts.first + offset, 'w', size - offset), texts.first);
}

std::uint64_t strings(Texts& texts, std::size_t round) {
  const std::size_t offset = offset_of(texts, round);
  std::uint64_t sum = std::strlen(texts.first + offset) * 3 + std::strlen(texts.second + offset % 5);
  sum = sum * 31 + sign(std::strcmp(texts.first, texts.second));
  sum = sum * 31 + sign(std::strncmp(texts.first, texts.second, offset + 8));
  std::strcpy(texts.second + offset, texts.first + 50);
  std::strncpy(texts.second + 40, texts.second + offset, 30);
  std::strncpy(texts.first + offset, "constant", offset + 3);
  return sum * 31 + std::strlen(texts.second);
}

std::uint64_t numbers(Texts& texts, std::size_t round) {
  const std::size_t offset = offset_of(texts, round) % 4;
  char* end = nullptr;
  std::uint64_t sum = static_cast<std::uint64_t>(std::strtol(texts.number + offset, &end, 10));
  sum = sum * 31 + static_cast<std::uint64_t>(std::strtod(end, &end) * 8);
  sum = sum * 31 + std::strtoul(end, &end, 0);
  sum = sum * 31 + static_cast<std::uint64_t>(std::strtof(end, &end) * 1e6F);
  sum = sum * 31 + static_cast<std::uint64_t>(std::strtoll(texts.number + offset, nullptr, 16));
  sum = sum * 31 + std::strtoull(texts.number + 20, nullptr, 8);
  return sum * 31 + static_cast<std::uint64_t>(std::strtold(texts.number + 17, nullptr)) + distance(end, texts.number);
}

std::uint64_t wide_strings(Texts& texts, std::size_t round) {
  const std::size_t offset = offset_of(texts, round);
  std::uint64_t sum = std::wcslen(texts.wide + offset);
  sum = sum * 31 + sign(std::wmemcmp(texts.wide + offset % 3, texts.other, 12));
  sum = sum * 31 + distance(std::wmemchr(texts.wide + offset, L'g', 40), texts.wide);
  std::wmemcpy(texts.other + offset, texts.wide + 2, 9);
  std::wmemmove(texts.wide + 1, texts.wide + offset % 5, 15);
  std::wmemset(texts.other + 30 + offset, L'w', offset + 1);
  return sum * 31 + std::wcslen(texts.other);
}

std::uint64_t work(Texts& texts) {
  for (std::size_t round = 0; round < 20; ++round)
    texts.results = texts.results * 31 + blocks(texts, round) + strings(texts, round) * 3 + numbers(texts, round) * 7 +
                    wide_strings(texts, round) * 11;
  return texts.results;
}

}  // namespace

int main() {
  static Texts plain, shared;
  for (int round = 0; round < 2; ++round) {
    compare("strings", plain, shared, [](Texts& texts) { return work(texts); });
    if (std::memcmp(&plain, &shared, sizeof plain) != 0) return 1;
  }
  return deferred_runtime::aborted_attempts() > 10 ? 0 : 2;
}
