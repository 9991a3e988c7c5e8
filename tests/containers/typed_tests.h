#ifndef PERDURE_TESTS_CONTAINERS_TYPED_TESTS_H
#define PERDURE_TESTS_CONTAINERS_TYPED_TESTS_H

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <stdexcept>

#include "perdure/perdure.h"
#include "schedule.h"
#include "step.h"

/// Tests of any container (or other type of the standard library), compared with an ordinary one. A subject has
/// - `Type`, the container; `==` compares
/// - `static Seen apply(Type&, const Step&)`, which does one operation and sums up what it returned
namespace perdure::containers {

/// What a pool holds: the container, and the number of operations that made it so.
template <class Subject>
struct Tested {
  typename Subject::Type value{};
  unsigned long steps = 0;
};

/// A pool of its own for each test program, gone when the test ends.
class PoolFile {
 public:
  PoolFile() { std::filesystem::remove(path_); }
  ~PoolFile() { std::filesystem::remove(path_); }
  Pool open() const { return Pool::open(path_, {.accept_volatile = true}); }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("perdure_typed_" + std::to_string(getpid()) + ".pool");
};

/// One operation in a transaction, which leaves with the container how many there were.
template <class Subject>
Seen step_in_transaction(Tested<Subject>& tested, const Step& step) {
  return execute([&] {
    const Seen result = Subject::apply(tested.value, step);
    ++tested.steps;
    return result;
  });
}

template <class Subject>
class Containers : public ::testing::Test {
 protected:
  PoolFile file_;
};
TYPED_TEST_SUITE_P(Containers);

TYPED_TEST_P(Containers, DoTheSameUnderAborts) {
  constexpr unsigned long steps = 200;
  Pool pool = this->file_.open();
  auto* tested = &pool.root<Tested<TypeParam>>("tested");
  typename TypeParam::Type expected{};
  const unsigned long aborts_before = schedule::aborts();
  for (unsigned long i = 0; i < steps; ++i) {
    const Step step = step_number(i);
    schedule::arm_aborts(1 + i % 3, i % 20 == 0);
    const Seen actual = step_in_transaction(*tested, step);
    schedule::disarm();
    ASSERT_EQ(actual, TypeParam::apply(expected, step)) << "step " << i << ", choice " << step.choice;
    ASSERT_TRUE(tested->value == expected) << "step " << i << ", choice " << step.choice;
    if (i % 40 != 39 || !library_is_durable()) continue;
    pool.close();
    pool = this->file_.open();
    tested = &pool.root<Tested<TypeParam>>("tested");
    ASSERT_TRUE(tested->value == expected) << "opened again after step " << i;
  }
  EXPECT_GE(schedule::aborts() - aborts_before, steps) << "every transaction aborts at least once";
}

TYPED_TEST_P(Containers, ExceptionUndoesEverything) {
  Pool pool = this->file_.open();
  auto& tested = pool.root<Tested<TypeParam>>("tested");
  typename TypeParam::Type expected{};
  for (unsigned long i = 0; i < 100; ++i) {
    const Step step = step_number(i);
    const auto fail = [&] {
      TypeParam::apply(tested.value, step);
      TypeParam::apply(tested.value, step_number(i + 1));
      throw std::length_error("undone");
    };
    EXPECT_THROW(execute(fail), std::length_error);
    ASSERT_TRUE(tested.value == expected) << "step " << i << ", choice " << step.choice;
    step_in_transaction(tested, step);
    TypeParam::apply(expected, step);
  }
}

/// How a child process ends.
struct End {
  unsigned long steps;         // at most this many are done, then SIGKILL
  unsigned long access;        // or at this access; 0: no such
  unsigned long microseconds;  // or after this time, from outside; 0: no such
};

/// Opens the pool and goes on from where it is; writes to `acknowledgements` how many steps are committed.
template <class Subject>
[[noreturn]] void run_child(const PoolFile& file, const End& end, int acknowledgements) {
  Pool pool = file.open();
  auto& tested = pool.root<Tested<Subject>>("tested");
  schedule::arm_kill(end.access);
  for (unsigned long i = 0; i < end.steps; ++i) {
    step_in_transaction(tested, step_number(tested.steps));
    if (write(acknowledgements, &tested.steps, sizeof(tested.steps)) != sizeof(tested.steps)) _exit(1);
  }
  raise(SIGKILL);
  _exit(1);
}

/// \returns how many steps the child said were committed, of those that it did.
template <class Subject>
unsigned long last_acknowledgement_of_child(const PoolFile& file, const End& end) {
  int ends[2] = {};
  if (pipe(ends) != 0) throw std::runtime_error("no pipe");
  const pid_t child = fork();
  if (child == 0) run_child<Subject>(file, end, ends[1]);
  close(ends[1]);
  if (end.microseconds != 0) {
    usleep(static_cast<useconds_t>(end.microseconds));
    kill(child, SIGKILL);
  }
  unsigned long acknowledged = 0;
  while (read(ends[0], &acknowledged, sizeof(acknowledged)) == sizeof(acknowledged)) continue;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "status " << status;
  return acknowledged;
}

TYPED_TEST_P(Containers, SurviveBeingKilled) {
  if (!library_is_durable()) GTEST_SKIP() << "this library keeps pools in volatile memory";
  constexpr unsigned rounds = 12;
  std::mt19937 random(5);
  typename TypeParam::Type expected{};
  unsigned long done = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    // Between transactions, inside of them, and anywhere.
    const End choices[] = {{random() % 20, 0, 0}, {1000, 1 + random() % 4000, 0}, {1000, 0, 1 + random() % 10'000}};
    const unsigned long acknowledged =
        last_acknowledgement_of_child<TypeParam>(this->file_, choices[round % std::size(choices)]);
    const Pool pool = this->file_.open();
    const auto& tested = const_cast<Pool&>(pool).root<Tested<TypeParam>>("tested");
    ASSERT_GE(tested.steps, acknowledged) << "a committed transaction was lost";
    ASSERT_LE(tested.steps, std::max(acknowledged, done) + 1);
    for (; done < tested.steps; ++done) TypeParam::apply(expected, step_number(done));
    ASSERT_TRUE(tested.value == expected) << "round " << round << ", after step " << done;
  }
  EXPECT_GT(done, rounds) << "the children got somewhere";
}

REGISTER_TYPED_TEST_SUITE_P(Containers, DoTheSameUnderAborts, ExceptionUndoesEverything, SurviveBeingKilled);

}  // namespace perdure::containers

#endif
