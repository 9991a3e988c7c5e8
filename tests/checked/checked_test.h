#ifndef PERDURE_TESTS_CHECKED_CHECKED_TEST_H
#define PERDURE_TESTS_CHECKED_CHECKED_TEST_H

#include <fcntl.h>

#include <list>
#include <map>
#include <source_location>
#include <string>
#include <vector>

#include "perdure/pool.h"
#include "pool_test.h"

namespace perdure::testing {

struct Node {
  Node* next = nullptr;
  const char* text = nullptr;
  long number = 0;
};

struct Bank {
  Node* first = nullptr;
  const char* name = nullptr;
  void (*function)() = nullptr;
  Node inner;
  std::map<int, const char*> names;
  std::map<int, long> balances;
  std::list<int> numbers;
  std::vector<const char*> texts;
};

/// Compiled without checks (unchecked.cc).
[[perdure::safe]] void store_unchecked(const char*& place, const char* text);

class CheckedTest : public PoolTest {
 protected:
  /// Runs `body(pool, bank)` in a process of its own. \returns what that wrote to standard error.
  template <class Body>
  std::string run(Body&& body, int& status) const {
    const auto said = in_directory("said");
    status = in_child([&] {
      dup2(open(said.c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600), STDERR_FILENO);
      Pool pool = Pool::open(path());
      body(pool, pool.root<Bank>("bank"));
    });
    return read_all(said);
  }

  /// "checked/frees_test.cc:12:", the place in the test's file that ends in the comment `// mark`.
  static std::string place_of(const std::string& mark, std::source_location test = std::source_location::current()) {
    const auto name = std::filesystem::path(test.file_name()).filename();
    std::ifstream file(std::filesystem::path(PERDURE_CHECKED_TESTS) / name);
    unsigned number = 1;
    for (std::string line; std::getline(file, line); ++number)
      if (line.ends_with("// " + mark)) break;
    return "checked/" + name.string() + ":" + std::to_string(number) + ":";
  }

  /// The body is ended by a report of the marked place, which contains all the parts.
  template <class Body>
  void expect_report(Body&& body, const std::string& mark, std::initializer_list<std::string> parts,
                     std::source_location test = std::source_location::current()) const {
    int status = 0;
    const std::string said = run(body, status);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status << ", " << mark;
    const std::string second_line = said.substr(said.find('\n') + 1);
    const std::string place = second_line.substr(0, second_line.find('\n'));
    EXPECT_NE(place.find(place_of(mark, test)), place.npos) << place_of(mark, test) << " is not in: " << said;
    for (const std::string& part : parts) EXPECT_NE(said.find(part), said.npos) << part << " is not in: " << said;
  }

  /// The body ends, and nothing is said.
  template <class Body>
  void expect_nothing(Body&& body) const {
    int status = 0;
    EXPECT_EQ(run(body, status), "");
    EXPECT_EQ(status, 0);
  }
};

}  // namespace perdure::testing

#endif
