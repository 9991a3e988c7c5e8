// Functions of the C library do in transactions what they do outside, also when the transactions abort at each of their
// accesses in turn: compiled as C and as C++, at every level of optimisation.
#include <gtest/gtest.h>
#include <malloc.h>
#include <regex.h>
#include <search.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "perdure/perdure.h"
#include "schedule.h"
#include "works.h"

// The works, each as compiled for one of the names.
#define PERDURE_VARIANT(name) extern "C" const named_work name[];
PERDURE_VARIANTS
#undef PERDURE_VARIANT

locale_t c_locale = newlocale(LC_ALL_MASK, "C", nullptr);

namespace {

struct Variant {
  const char* name;
  works all;
};

#define PERDURE_VARIANT(name) {#name, name},
const Variant variants[] = {PERDURE_VARIANTS};
#undef PERDURE_VARIANT

/// Text of few different characters, so that searches find something.
void fill(area& filled, unsigned number) {
  std::mt19937 random(number * 7919 + 1);
  std::memset(&filled, 0, sizeof filled);
  const auto character = [&random] { return "abcdeABC ,xB"[random() % 12]; };
  for (std::size_t i = 0; i < 299; ++i) filled.text[i] = i == 298 ? 'd' : i == 297 ? 'e' : character();
  for (std::size_t i = 0; i < 299; ++i) filled.other[i] = character();
  for (std::size_t i = 0; i < 5 && number % 3 == 0; ++i) filled.other[i] = filled.text[i];
  filled.text[100 + number % 90] = filled.other[150 + number % 100] = '\0';
  filled.other[289] = filled.other[292 + number % 5] = filled.other[307] = '\0';
  for (std::size_t i = 300; i < 305; ++i) filled.other[i] = character();
  for (std::size_t i = 0; i < 40 + number % 30; ++i) {
    filled.wide[i] = static_cast<wchar_t>(character());
    filled.wide_other[i] = static_cast<wchar_t>(i < 3 && number % 2 == 0 ? filled.wide[i] : character());
  }
  for (long& value : filled.numbers) value = static_cast<long>(random() % 2000) * 1000003;
  for (int& value : filled.ints) value = static_cast<int>(random() % 1000);
  for (double& value : filled.real) value = static_cast<double>(random() % 100000) / 77 - 300;
  for (long double& value : filled.long_real) value = static_cast<long double>(random() % 1000) / 8;
  filled.seed = random();
}

/// Gone when it is destroyed.
struct PoolFile {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("perdure_c_library_" + std::to_string(getpid()) + ".pool");
  PoolFile() { std::filesystem::remove(path); }
  ~PoolFile() { std::filesystem::remove(path); }
};

/// An area in a pool.
class CLibrary : public ::testing::TestWithParam<Variant> {
 protected:
  void SetUp() override { std::setlocale(LC_ALL, "C.UTF-8"); }

  area& shared() { return pool_.root<area>("area"); }

 private:
  PoolFile file_;
  perdure::Pool pool_ = perdure::Pool::open(file_.path, {.accept_volatile = true});
};

/// The first byte that differs, of areas whose pointers are null.
std::string difference(const area& left, const area& right) {
  const auto* const a = reinterpret_cast<const unsigned char*>(&left);
  const auto* const b = reinterpret_cast<const unsigned char*>(&right);
  // The padding of long double is nobody's.
  for (std::size_t i = 0; i < sizeof(area); ++i) {
    const std::size_t in_long_real = i - offsetof(area, long_real);
    const bool is_padding = in_long_real < sizeof(left.long_real) && in_long_real % sizeof(long double) >= 10;
    if (a[i] != b[i] && !is_padding)
      return "byte " + std::to_string(i) + ": " + std::to_string(a[i]) + ", " + std::to_string(b[i]);
  }
  return {};
}

TEST_P(CLibrary, DoesTheSameUnderAborts) {
  area plain;
  for (works work = GetParam().all; work->name != nullptr; ++work)
    for (unsigned number = 0; number < 12; ++number) {
      fill(plain, number);
      fill(shared(), number);
      const std::uint64_t expected = work->run(&plain, number);
      perdure::schedule::arm_aborts(1 + number % 3, number % 6 == 0);
      std::uint64_t actual = 0;
      area* const in_pool = &shared();
      const work_function run = work->run;
      TM_BEGIN { actual = run(in_pool, number); } TM_END;
      perdure::schedule::disarm();
      ASSERT_EQ(actual, expected) << work->name << ", number " << number;
      ASSERT_EQ(difference(plain, shared()), "") << work->name << ", number " << number;
    }
  EXPECT_GT(perdure::schedule::aborts(), 100U);
}

TEST_P(CLibrary, LeavesNothingWhenTheTransactionFails) {
  area before;
  for (works work = GetParam().all; work->name != nullptr; ++work) {
    fill(before, 7);
    fill(shared(), 7);
    area* const in_pool = &shared();
    const work_function run = work->run;
    const auto fail = [&] {
      TM_BEGIN {
        run(in_pool, 7);
        throw std::runtime_error("undone");
      } TM_END;
    };
    EXPECT_THROW(fail(), std::runtime_error);
    EXPECT_EQ(difference(before, shared()), "") << work->name;
  }
}

INSTANTIATE_TEST_SUITE_P(Compiled, CLibrary, ::testing::ValuesIn(variants),
                         [](const auto& variant) { return variant.param.name; });

class CLibraryMore : public CLibrary {};

int compare_longs(const void* a, const void* b) {
  const long left = *static_cast<const long*>(a);
  const long right = *static_cast<const long*>(b);
  return left < right ? -1 : static_cast<int>(left > right);
}

int compare_or_throw(const void* a, const void* b) {
  if (*static_cast<const long*>(a) == 13 || *static_cast<const long*>(b) == 13) throw std::invalid_argument("13");
  return compare_longs(a, b);
}

/// How many black nodes each way down has; fails where a red node has a red child.
template <class Node>
int black_height(const Node* node, bool parent_is_red) {
  if (node == nullptr) return 1;
  const bool is_red = (node->left & 1) != 0;
  EXPECT_FALSE(parent_is_red && is_red);
  const int left = black_height(reinterpret_cast<const Node*>(node->left & ~std::uintptr_t{1}), is_red);
  EXPECT_EQ(left, black_height(node->right, is_red));
  return left + (is_red ? 0 : 1);
}

TEST_P(CLibraryMore, TreesAreThoseOfTheCLibrary) {
  struct Node {
    const void* key;
    std::uintptr_t left;
    const Node* right;
  };
  static long keys[200];
  static void* root;
  std::mt19937 random(5);
  for (long i = 0; i < 200; ++i) keys[i] = i;
  std::vector<bool> is_in(200, false);
  for (int round = 0; round < 6000; ++round) {
    const auto which = random() % 200;
    const bool in_transaction = round % 3 != 0;
    long* const key = &keys[which];
    const bool remove = is_in[which];
    const auto change = [key, remove] {
      if (remove)
        tdelete(key, &root, compare_longs);
      else
        tsearch(key, &root, compare_longs);
    };
    // A node is freed where it was allocated: only what is made outside of a transaction may be deleted there.
    if (in_transaction)
      TM_BEGIN { change(); } TM_END;
    else if (!remove)
      change();
    else
      continue;
    is_in[which] = !remove;
    if (round % 50 == 0) black_height(static_cast<const Node*>(root), false);
    ASSERT_FALSE(::testing::Test::HasFailure()) << round;
  }
  for (std::size_t i = 0; i < 200; ++i) ASSERT_EQ(tfind(&keys[i], &root, compare_longs) != nullptr, is_in[i]) << i;
  TM_BEGIN {
    for (long& key : keys) tdelete(&key, &root, compare_longs);
  } TM_END;
  EXPECT_EQ(root, nullptr);
}

/// Does something in a transaction that fails.
template <class Body>
void fail_after(Body&& body) {
  const auto fail = [&] {
    TM_BEGIN {
      body();
      throw std::runtime_error("undone");
    } TM_END;
  };
  EXPECT_THROW(fail(), std::runtime_error);
}

TEST_P(CLibraryMore, ExpressionsAreCompiledAndFreedByCommits) {
  static regex_t regex;
  const auto finds = [] { return regexec(&regex, "an abbot", 0, nullptr, 0) == 0; };
  regex = {};
  fail_after([] { regcomp(&regex, "ab*o", 0); });
  EXPECT_EQ(regex.buffer, nullptr);
  perdure::schedule::arm_aborts(1, true);
  TM_BEGIN { regcomp(&regex, "ab*o", 0); } TM_END;
  perdure::schedule::disarm();
  EXPECT_TRUE(finds());
  fail_after([] { regfree(&regex); });
  EXPECT_TRUE(finds());
  bool before = false, after = true;
  TM_BEGIN {
    before = regexec(&regex, "an abbot", 0, nullptr, 0) == 0;
    regfree(&regex);
    regcomp(&regex, "an$", 0);
    after = regexec(&regex, "an abbot", 0, nullptr, 0) == 0;
  } TM_END;
  EXPECT_TRUE(before && !after && !finds());
  regfree(&regex);  // it is the C library's
}

TEST_P(CLibraryMore, ExpressionsOfAttemptsThatFailAreFreed) {
  static regex_t regex;
  const auto compile = [] { regcomp(&regex, "[[:alpha:]]*(a|b)*c{2,5}", REG_EXTENDED); };
  fail_after(compile);
  const std::size_t before = mallinfo2().uordblks;
  for (int i = 0; i < 1000; ++i) fail_after(compile);
  EXPECT_LT(mallinfo2().uordblks, before + 100000);
}

TEST_P(CLibraryMore, HashTablesAreThoseOfTheCLibrary) {
  static hsearch_data table;
  static char keys[90][8];
  static unsigned long found;
  table = {};
  found = 0;
  ASSERT_NE(hcreate_r(90, &table), 0);
  for (unsigned i = 0; i < 90; ++i) {
    std::snprintf(keys[i], sizeof keys[i], "%u\xe4", i * i * 7);
    const auto enter = [i] {
      ENTRY* entry = nullptr;
      hsearch_r({keys[i], keys[i]}, ENTER, &entry, &table);
    };
    if (i % 2 == 0)
      TM_BEGIN { enter(); } TM_END;
    else
      enter();
    const auto find_all = [i] {
      ENTRY* entry = nullptr;
      for (unsigned key = 0; key <= i; ++key)
        found += hsearch_r({keys[key], nullptr}, FIND, &entry, &table) != 0 && entry->data == keys[key] ? 1 : 0;
    };
    find_all();
    TM_BEGIN { find_all(); } TM_END;
  }
  EXPECT_EQ(found, 90U * 91);
  EXPECT_EQ(table.filled, 90U);
  hdestroy_r(&table);
}

TEST_P(CLibraryMore, TokensStartAgainAfterAFailure) {
  static char text[] = "one two";
  TM_BEGIN { strtok(text, "x"); } TM_END;
  fail_after([] { strtok(text, " "); });
  EXPECT_STREQ(text, "one two");
  const char* rest = text;
  TM_BEGIN { rest = strtok(nullptr, " "); } TM_END;
  EXPECT_EQ(rest, nullptr);
}

TEST_P(CLibraryMore, ExceptionsOfCallbacksPass) {
  area& in_pool = shared();
  for (long i = 0; i < 40; ++i) in_pool.numbers[i] = 39 - i;
  const auto sort = [&] { TM_BEGIN { std::qsort(in_pool.numbers, 40, sizeof(long), compare_or_throw); } TM_END; };
  EXPECT_THROW(sort(), std::invalid_argument);
  EXPECT_EQ(in_pool.numbers[0], 39);
}

TEST_P(CLibraryMore, LargeArraysAndTexts) {
  constexpr std::size_t count = 5000;
  auto* const numbers = static_cast<long*>(std::malloc(count * sizeof(long)));
  std::mt19937 random(3);
  std::vector<long> expected(count);
  for (std::size_t i = 0; i < count; ++i) expected[i] = numbers[i] = static_cast<long>(random() % 10000);
  std::sort(expected.begin(), expected.end());
  std::string text(100000, 'x');
  std::vector<char> printed(200000);
  char* const to = printed.data();
  const char* const from = text.data();
  int length = 0;
  TM_BEGIN {
    std::qsort(numbers, count, sizeof(long), compare_longs);
    length = std::snprintf(to, 150000, "%s%s", from, from);
  } TM_END;
  EXPECT_TRUE(std::equal(expected.begin(), expected.end(), numbers));
  EXPECT_EQ(length, 200000);
  EXPECT_EQ(std::strlen(to), 149999U);
  std::free(numbers);
}

TEST_P(CLibraryMore, ArgumentListsOfTheCallerServeEveryAttempt) {
  char* const to = shared().target;
  const auto print = [to](const char* format, ...) {
    va_list list;
    va_start(list, format);
    perdure::schedule::arm_aborts(1, true);
    TM_BEGIN { std::vsnprintf(to, 100, format, list); } TM_END;
    perdure::schedule::disarm();
    va_end(list);
  };
  print("%d %s %g %d %d %d %d %s", 1, "two", 3.0, 4, 5, 6, 7, "eight");
  EXPECT_STREQ(to, "1 two 3 4 5 6 7 eight");
}

INSTANTIATE_TEST_SUITE_P(Compiled, CLibraryMore, ::testing::Values(variants[0]),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
