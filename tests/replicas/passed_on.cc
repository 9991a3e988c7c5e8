// Opens a pool that another library may have written, checks it, changes it once more, and closes it or is killed.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <string_view>

#include "perdure/perdure.h"

namespace {

/// All numbers up to the last, in order, and how many there are.
struct Numbers {
  std::list<long> numbers;
  long count = 0;
  long blank[64] = {};
  long last = 0;  // in another line
};

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

void check(const Numbers& root, long count) {
  require(root.count == count && root.last == count, "not as many as there were");
  long expected = 0;
  for (const long number : root.numbers) require(number == ++expected, "a number is missing");
  require(expected == count, "not all numbers are there");
}

}  // namespace

/// passed_on <pool> <numbers before> <numbers after> closed|killed [clean|recovered]
int main(int count, char** arguments) {
  require(count >= 5, "passed_on <pool> <numbers before> <numbers after> closed|killed [clean|recovered]");
  const long before = std::atol(arguments[2]);
  const long after = std::atol(arguments[3]);
  auto pool = perdure::Pool::open(arguments[1]);
  using State = perdure::OpenReport::State;
  if (count > 5) {
    const State expected = std::string_view(arguments[5]) == "clean" ? State::clean : State::recovered;
    require(pool.report().state == expected, "not found as it was left");
  }
  Numbers& root = pool.root<Numbers>("numbers");
  check(root, before);
  for (long number = before + 1; number <= after; ++number) {
    TM_BEGIN {
      root.numbers.push_back(number);
      ++root.count;
      root.last = number;
    } TM_END;
  }
  if (std::string_view(arguments[4]) == "killed") std::raise(SIGKILL);
  check(root, after);
  pool.close();
  return 0;
}
