// What transactions keep in locals, and hand to other functions, is there again.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "perdure/nested.h"
#include "perdure/transaction.h"

namespace perdure {
namespace {

[[gnu::noinline]] void fill(char* text, std::size_t bytes) {
  for (std::size_t i = 0; i + 1 < bytes; ++i) text[i] = static_cast<char>('a' + i % 26);
  text[bytes - 1] = '\0';
}

[[gnu::noinline]] long sum(const std::array<long, 100>& numbers) {
  long result = 0;
  for (const long number : numbers) result += number;
  return result;
}

TEST(Locals, AreHandedToFunctions) {
  std::string copy;
  TM_BEGIN {
    std::array<char, 64> text;
    fill(text.data(), text.size());
    const std::string local = text.data();
    copy = local + text.data();
  } TM_END;
  EXPECT_EQ(copy.size(), 126U);
  EXPECT_EQ(copy.substr(0, 3), "abc");
}

TEST(Locals, AreResultsOfInnerTransactions) {
  long result = 0;
  TM_BEGIN { result = execute([] { return 5L; }) + execute([] { return 6L; }); } TM_END;
  EXPECT_EQ(result, 11);
  std::optional<std::vector<long>> parts;
  TM_BEGIN { parts = try_nested([] { return std::vector<long>{1, 2, 3}; }); } TM_END;
  EXPECT_EQ(parts->size(), 3U);
}

TEST(Locals, AreChangedByOtherFunctions) {
  const long result = execute([] {
    std::array<long, 100> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<long>(i);
    const long first = sum(numbers);
    auto* volatile elsewhere = &numbers;
    (*elsewhere)[0] = 50;
    return first + sum(numbers);
  });
  EXPECT_EQ(result, 4950 + 5000);
}

}  // namespace
}  // namespace perdure
