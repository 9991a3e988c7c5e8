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
Node* allocate_unchecked(Bank& bank);

class CheckedTest : public PoolTest {
 protected:
  /// The line that it is called in.
  static unsigned here(std::source_location place = std::source_location::current()) { return place.line(); }

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

  /// The body is ended by a report of this place in the test's file, which contains all the parts.
  template <class Body>
  void expect_report(Body&& body, unsigned line, std::initializer_list<std::string> parts,
                     std::source_location test = std::source_location::current()) const {
    int status = 0;
    const std::string said = run(body, status);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT) << status << " after line " << test.line();
    EXPECT_NE(said.find("\n  at " + std::string(test.file_name()) + ":" + std::to_string(line) + ":"), said.npos)
        << line << ": " << said;
    for (const std::string& part : parts) EXPECT_NE(said.find(part), said.npos) << part << " in: " << said;
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
