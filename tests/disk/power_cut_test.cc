// Programs with pools on a disk, whose power fails in a random call that writes or flushes, in opening too; what the
// next process finds must be a prefix of what was done that holds all that was acknowledged, and all that a transaction
// has seen that returned.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <new>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "disk/image_file.h"
#include "folder.h"
#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "persist/fault.h"
#include "simulate/cutting_volume.h"
#include "simulate/faults.h"
#include "tests/repetitions.h"

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
/// Each process would sleep for a second when it ends.
extern "C" const char* __tsan_default_options() { return "atexit_sleep_ms=0"; }
#endif
#endif

namespace perdure::disk {
namespace {

using persistence::Fault;

constexpr std::size_t most_threads = 4;

/// What the outside world knows, and a test's processes share.
struct Outside {
  struct Thread {
    std::atomic<std::uint64_t> begun{0};
    std::atomic<std::uint64_t> acknowledged{0};
  };
  std::array<Thread, most_threads> threads;
  std::atomic<std::uint64_t> seen{0};         ///< by a transaction that only reads
  std::atomic<std::uint64_t> handed_over{0};  ///< from one transaction to another: the number of the step
  std::atomic<unsigned> opened{0};
  std::array<char, 400> found{};  ///< a violation

  void fail(const std::string& what) {
    std::snprintf(found.data(), found.size(), "%s", what.c_str());
    std::fflush(stderr);
    _exit(1);
  }
};

void raise(std::atomic<std::uint64_t>& number, std::uint64_t to) {
  std::uint64_t seen = number.load();
  while (seen < to && !number.compare_exchange_weak(seen, to)) {
  }
}

// -- the program ------------------------------------------------------------------------------------------------------

/// A step of a thread: what it does depends on its number alone.
struct Step {
  std::uint64_t key;
  std::size_t length;  // 0: it erases
};

Step step_number(std::size_t thread, std::uint64_t number) {
  std::mt19937_64 random(number * 31 + thread);
  const std::uint64_t key = random() % 24;
  const std::uint64_t kind = random() % 16;
  if (kind < 5) return {key, 0};
  return {key, kind == 5 ? 20000 + random() % 60000 : 1 + random() % 300};
}

char letter(std::uint64_t number) { return static_cast<char>('a' + number % 26); }

/// What a thread has in the pool.
struct Part {
  std::uint64_t steps = 0;
  std::map<std::uint64_t, std::string> texts;
  std::vector<std::uint64_t> numbers;
  std::array<std::uint64_t, 1024> seldom{};  // written so seldom that replaying a log does not heal it by chance
  std::array<std::uint64_t, 6000> wide{};    // written as a whole: the record is in several parts

  void do_step(std::uint64_t number, const Step& step) {
    steps = number;
    for (std::uint64_t i = 0; i < 4; ++i) seldom[(number * 7919 + i * 263) % seldom.size()] = number;
    if (number % 32 == 0) wide.fill(number);
    numbers.push_back(number);
    if (numbers.size() > 100) numbers.clear();
    if (step.length == 0)
      texts.erase(step.key);
    else
      texts[step.key] = std::string(step.length, letter(number));
  }
};

struct Root {
  std::array<Part, most_threads> parts;
  std::uint64_t total = 0;
  Part* handed_over = nullptr;
};

/// In another pool: what each thread has done.
struct Mirror {
  std::array<std::uint64_t, most_threads> steps{};
  std::array<std::array<std::uint64_t, 24>, most_threads> last_step_of_key{};
};

struct Program {
  std::size_t threads = 1;
  std::uint64_t steps = 250;
  Fault fault = Fault::none;
  simulate::Fault other_fault = simulate::Fault::none;  ///< not in libs/disk
  bool is_serial = false;                               ///< now and then
  bool has_mirror = false;                              ///< in another pool, with which each transaction deals
  bool is_short_of_memory = false;
  Acknowledgement acknowledgement = Acknowledgement::sync;
};

/// A transaction that only allocates, and one that only links what that made: for the first the log has no other use.
Part* volatile made_before;

void hand_over(Root& root, std::uint64_t number) {
  TM_BEGIN {
    auto* const part = new Part;
    part->steps = number;
    made_before = part;
  } TM_END;
  TM_BEGIN {
    delete root.handed_over;
    root.handed_over = made_before;
  } TM_END;
}

/// One that is serial for its second half: what it has done before is put in place then.
void do_serially(Root& root, std::size_t thread, std::uint64_t number, const Step& step) {
  if (number % 2 == 0) {
    TM_SERIAL {
      root.parts[thread].do_step(number, step);
      ++root.total;
    }
    TM_END;
    return;
  }
  TM_BEGIN {
    root.parts[thread].do_step(number, step);
    become_serial();
    ++root.total;
  } TM_END;
}

void do_in_both(Root& root, Mirror& mirror, std::size_t thread, std::uint64_t number, const Step& step) {
  TM_BEGIN {
    if (number % 2 == 0) mirror.steps[thread] = number;  // either may be the first pool, which decides
    root.parts[thread].do_step(number, step);
    ++root.total;
    mirror.steps[thread] = number;
    mirror.last_step_of_key[thread][step.key] = number;
  } TM_END;
}

void see_total(const Root& root, Outside& outside) {
  std::uint64_t total = 0;
  TM_BEGIN { total = root.total; } TM_END;
  raise(outside.seen, total);
}

void work(Root& root, Mirror* mirror, std::size_t thread, const Program& program, Outside& outside) {
  Outside::Thread& known = outside.threads[thread];
  for (std::uint64_t number = known.acknowledged + 1; number <= program.steps; ++number) {
    const Step step = step_number(thread, number);
    known.begun = number;
    if (mirror != nullptr) {
      do_in_both(root, *mirror, thread, number, step);
    } else if (program.is_serial && number % 5 < 2) {
      do_serially(root, thread, number, step);
    } else {
      TM_BEGIN {
        root.parts[thread].do_step(number, step);
        ++root.total;
      } TM_END;
    }
    if (program.acknowledgement == Acknowledgement::relaxed) {
      if (number % 64 != 0) continue;
      last_commit().wait();
    }
    known.acknowledged = number;
    if (program.acknowledgement == Acknowledgement::relaxed) continue;
    if (thread == 0 && number % 16 == 0) {
      hand_over(root, number);
      outside.handed_over = number;
    }
    see_total(root, outside);
  }
}

void compare(std::size_t thread, const Part& part, Outside& outside) {
  Outside::Thread& known = outside.threads[thread];
  const std::string who = "thread " + std::to_string(thread) + ": ";
  if (part.steps < known.acknowledged)
    outside.fail(who + "step " + std::to_string(known.acknowledged) + " was acknowledged, and only " +
                 std::to_string(part.steps) + " are there");
  if (part.steps > known.begun) outside.fail(who + "more steps than were begun");
  Part expected;
  for (std::uint64_t number = 1; number <= part.steps; ++number) expected.do_step(number, step_number(thread, number));
  if (part.texts != expected.texts)
    outside.fail(who + "its map is not that of " + std::to_string(part.steps) + " steps");
  if (part.seldom != expected.seldom) outside.fail(who + "what it seldom writes to is not that of its steps");
  if (part.wide != expected.wide) outside.fail(who + "what it writes to as a whole is not that of its steps");
  if (part.numbers != expected.numbers) outside.fail(who + "its vector is not that of its steps");
}

void look(const Root& root, Outside& outside) {
  std::uint64_t total = 0;
  for (std::size_t thread = 0; thread < most_threads; ++thread) {
    compare(thread, root.parts[thread], outside);
    total += root.parts[thread].steps;
  }
  if (root.total != total) outside.fail("the total is not that of the threads");
  if (total < outside.seen) outside.fail("a transaction that returned has seen more than is there");
  const std::uint64_t handed_over = root.handed_over == nullptr ? 0 : root.handed_over->steps;
  if (handed_over % 16 != 0 || handed_over < outside.handed_over)
    outside.fail("what was made by one transaction and linked by another is not there");
}

void look(const Root& root, const Mirror& mirror, Outside& outside) {
  for (std::size_t thread = 0; thread < most_threads; ++thread) {
    if (mirror.steps[thread] != root.parts[thread].steps)
      outside.fail("one pool has " + std::to_string(root.parts[thread].steps) + " steps, the other one " +
                   std::to_string(mirror.steps[thread]));
    std::array<std::uint64_t, 24> expected{};
    for (std::uint64_t number = 1; number <= mirror.steps[thread]; ++number)
      expected[step_number(thread, number).key] = number;
    if (mirror.last_step_of_key[thread] != expected) outside.fail("the other pool's table is not that of its steps");
  }
}

using Steps = std::array<std::uint64_t, most_threads>;

Steps steps_in(const Root& root) {
  Steps steps;
  for (std::size_t thread = 0; thread < most_threads; ++thread) steps[thread] = root.parts[thread].steps;
  return steps;
}

/// What a pool is opened with, or closed with, is durable.
void acknowledge(const Steps& steps, Outside& outside) {
  for (std::size_t thread = 0; thread < most_threads; ++thread) outside.threads[thread].acknowledged = steps[thread];
}

OpenOptions options(const Program& program) {
  OpenOptions options;
  options.acknowledgement = program.acknowledgement;
  options.lag_milliseconds = 1;
  options.durability = Durability::power;
  options.log_bytes = std::size_t{1} << 20;
  options.verify_pages = true;  // no crash is taken for damage
  if (program.is_short_of_memory) options.memory_budget = std::size_t{64} << 10;
  return options;
}

Mirror& mirror_in(Pool& pool) {
  const PoolScope scope(pool);
  return pool.root<Mirror>("mirror");
}

/// A process: opens, looks, goes on, and closes.
void live(const std::filesystem::path& path, const Program& program, Outside& outside) {
  try {
    std::optional<Pool> other;
    if (program.has_mirror && outside.opened++ % 2 == 0) other = Pool::open(path.string() + "_2", options(program));
    Pool pool = Pool::open(path, options(program));
    if (program.has_mirror && !other) other = Pool::open(path.string() + "_2", options(program));
    Mirror* const mirror = other ? &mirror_in(*other) : nullptr;
    if (pool.report().medium != Medium::disk) outside.fail("this is no disk");
    const PoolScope scope(pool);
    Root& root = pool.root<Root>("root");
    if (mirror != nullptr) look(root, *mirror, outside);
    look(root, outside);
    acknowledge(steps_in(root), outside);
    std::vector<std::thread> threads;
    for (std::size_t thread = 1; thread < program.threads; ++thread)
      threads.emplace_back([&, thread] {
        const PoolScope scope_of_thread(pool);  // what another pool leads to is lost in a crash
        work(root, mirror, thread, program, outside);
      });
    std::jthread watcher;
    if (program.is_serial)  // what serial transactions did has no version: who reads it all the time must wait, too
      watcher = std::jthread([&](const std::stop_token& stop) {
        const PoolScope scope_of_thread(pool);
        while (!stop.stop_requested()) see_total(root, outside);
      });
    work(root, mirror, 0, program, outside);
    for (std::thread& thread : threads) thread.join();
    watcher = {};
    look(root, outside);
    if (mirror != nullptr) look(root, *mirror, outside);
    const Steps done = steps_in(root);
    if (other) other->close();
    pool.close();
    acknowledge(done, outside);
  } catch (const std::exception& error) {
    outside.fail(error.what());
  }
}

// -- its lives --------------------------------------------------------------------------------------------------------

class SharedOutside {
 public:
  SharedOutside()
      : outside_(new(mmap(nullptr, sizeof(Outside), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
                     Outside) {}
  ~SharedOutside() { munmap(outside_, sizeof(Outside)); }
  SharedOutside(const SharedOutside&) = delete;
  SharedOutside& operator=(const SharedOutside&) = delete;
  Outside& operator*() const { return *outside_; }

 private:
  Outside* outside_;
};

/// \returns how the process ended.
int in_process(const std::function<void()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

/// Processes one after the other, each but the last of which is cut short. \returns a violation, or nothing.
std::string cut_short_again_and_again(std::uint64_t seed, const Program& program) {
  constexpr int lives = 4;
  constexpr std::size_t most_calls = 700;
  const Folder folder;
  const SharedOutside outside;
  std::mt19937_64 random(seed);
  for (int number = 1; number <= lives; ++number) {
    const bool is_last = number == lives;
    const std::size_t call = is_last ? ~std::size_t{0} : 1 + random() % (random() % 4 == 0 ? 40 : most_calls);
    const auto end = random() % 4 == 0 ? simulate::CuttingVolume::End::kill : simulate::CuttingVolume::End::power_cut;
    const std::uint64_t lot = random();
    const int status = in_process([&] {
#ifdef PERDURE_SIMULATED
      persistence::seeded_fault = program.fault;
      simulate::seed(program.other_fault);
#endif
      simulate::CuttingVolume volume(lot, call, end, folder / "changes");
      set_volume(&volume);
      live(folder / "pool", program, *outside);
    });
    simulate::CuttingVolume::leave_what_is_kept(folder / "changes");
    if (status != 0 && status != simulate::CuttingVolume::exit_status)
      return "seed " + std::to_string(seed) + ", life " + std::to_string(number) + ", status " +
             std::to_string(status) + ": " + (*outside).found.data();
  }
  return {};
}

/// In the program for the simulator they are but the control of the seeded mistakes.
#ifdef PERDURE_SIMULATED
constexpr std::uint64_t share = 3;
#else
constexpr std::uint64_t share = 1;
#endif

std::uint64_t seeds(std::uint64_t otherwise) {
  const char* const wanted = std::getenv("POWER_CUT_SEEDS");
  return wanted == nullptr ? repetitions((otherwise + share - 1) / share) : std::strtoull(wanted, nullptr, 10);
}

TEST(PowerCut, LeavesWhatOneThreadWasToldOf) {
  for (std::uint64_t seed = 1; seed <= seeds(15); ++seed) ASSERT_EQ(cut_short_again_and_again(seed, {}), "");
}

TEST(PowerCut, LeavesWhatThreadsWereToldOfAndHaveSeen) {
  for (std::uint64_t seed = 1; seed <= seeds(15); ++seed)
    ASSERT_EQ(cut_short_again_and_again(seed, {.threads = 4, .steps = 100}), "");
}

TEST(PowerCut, LeavesWhatSerialTransactionsDid) {
  for (std::uint64_t seed = 1; seed <= seeds(5); ++seed) {
    ASSERT_EQ(cut_short_again_and_again(seed, {.is_serial = true}), "");
    ASSERT_EQ(cut_short_again_and_again(seed, {.threads = 3, .steps = 80, .is_serial = true}), "");
  }
}

TEST(PowerCut, LeavesTransactionsOverTwoPoolsInBothOrNone) {
  for (std::uint64_t seed = 1; seed <= seeds(8); ++seed) {
    ASSERT_EQ(cut_short_again_and_again(seed, {.steps = 120, .has_mirror = true}), "");
    ASSERT_EQ(cut_short_again_and_again(seed, {.threads = 3, .steps = 50, .has_mirror = true}), "");
  }
}

TEST(PowerCut, LeavesAPrefixOfWhatWasNotAcknowledged) {
  constexpr auto relaxed = Acknowledgement::relaxed;
  for (std::uint64_t seed = 1; seed <= seeds(6); ++seed) {
    ASSERT_EQ(cut_short_again_and_again(seed, {.steps = 1000, .acknowledgement = relaxed}), "");
    ASSERT_EQ(cut_short_again_and_again(seed, {.threads = 4, .steps = 300, .acknowledgement = relaxed}), "");
  }
}

#ifdef PERDURE_SIMULATED

/// (In place of the simulator's, to which files are persistent memory, and each process is the first.)
extern "C" int pmem_is_pmem(const void*, std::size_t) { return 0; }
extern "C" ssize_t getrandom(void* buffer, std::size_t bytes, unsigned flags) {
  return syscall(SYS_getrandom, buffer, bytes, flags);
}

// -- seeded mistakes --------------------------------------------------------------------------------------------------

struct Seeded {
  Fault fault;
  const char* name;
  std::size_t threads = 1;
  bool has_mirror = false;
  simulate::Fault other = simulate::Fault::none;
  bool is_short_of_memory = false;
  bool is_serial = false;
};

Seeded over_pools(simulate::Fault fault, const char* name) {
  return {.fault = Fault::none, .name = name, .has_mirror = true, .other = fault};
}

Seeded with_serial_transactions(Fault fault, const char* name) {
  return {.fault = fault, .name = name, .is_serial = true};
}

class SeededFault : public testing::TestWithParam<Seeded> {};

TEST_P(SeededFault, IsCaught) {
  constexpr std::uint64_t most_seeds = 300;
  const Program program{.threads = GetParam().threads,
                        .steps = GetParam().threads == 1 ? 250U : 100U,
                        .fault = GetParam().fault,
                        .other_fault = GetParam().other,
                        .is_serial = GetParam().is_serial,
                        .has_mirror = GetParam().has_mirror,
                        .is_short_of_memory = GetParam().is_short_of_memory};
  std::string found;
  for (std::uint64_t seed = 1; seed <= most_seeds && found.empty(); ++seed)
    found = cut_short_again_and_again(seed, program);
  ASSERT_NE(found, "") << "nothing shows it";
  std::printf("%s: %s\n", GetParam().name, found.c_str());
}

INSTANTIATE_TEST_SUITE_P(
    Each, SeededFault,
    testing::Values(Seeded{Fault::acknowledged_unflushed, "acknowledged_unflushed"},
                    Seeded{Fault::blocks_not_logged, "blocks_not_logged"},
                    Seeded{Fault::changes_not_logged, "changes_not_logged"},
                    Seeded{Fault::dirty_marks_left_out, "dirty_marks_left_out"},
                    Seeded{Fault::log_reused_early, "log_reused_early"},
                    Seeded{Fault::superblock_before_image, "superblock_before_image"},
                    Seeded{Fault::reader_not_waiting, "reader_not_waiting", most_threads},
                    Seeded{Fault::sampled_early, "sampled_early", most_threads},
                    with_serial_transactions(Fault::versions_believed, "versions_believed"),
                    Seeded{Fault::sums_not_begun, "sums_not_begun"},
                    Seeded{Fault::commit_not_waiting, "commit_not_waiting"},
                    Seeded{Fault::header_names_log_early, "header_names_log_early"},
                    Seeded{Fault::lone_parts_replayed, "lone_parts_replayed"},
                    Seeded{.fault = Fault::given_back_dirty, .name = "given_back_dirty", .is_short_of_memory = true},
                    over_pools(simulate::Fault::decision_before_logs, "decision_before_logs"),
                    over_pools(simulate::Fault::finished_before_logs, "finished_before_logs"),
                    over_pools(simulate::Fault::decision_freed_early, "decision_freed_early"),
                    over_pools(simulate::Fault::records_skipped, "records_skipped"),
                    over_pools(simulate::Fault::prepared_in_one_pool, "prepared_in_one_pool")),
    [](const auto& info) { return std::string(info.param.name); });

#endif

}  // namespace
}  // namespace perdure::disk
