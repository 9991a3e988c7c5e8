// Threads that ask a memo for results until they are stopped by their time or by a kill. A file beside the pool says
// what happened, in its order: a run began, the function was called, a result was returned. So it can be counted that
// what was once returned is never evaluated again, and nothing twice in one run.
#include <fcntl.h>

#include <atomic>
#include <cstdint>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <perdure/memo.h>

#include "victim.h"

namespace {

using namespace perdure::testing;

enum class What : std::int64_t { run, call, result };
struct Happening {
  What what;
  std::int64_t number;
};

/// What is appended is there after a kill, whole.
class Diary {
 public:
  explicit Diary(const std::string& path) : file_(open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600)) {
    if (file_ < 0) throw std::runtime_error("cannot open " + path);
  }
  Diary(const Diary&) = delete;
  Diary& operator=(const Diary&) = delete;
  ~Diary() { close(file_); }

  void add(What what, std::int64_t number) const {
    const Happening happening{what, number};
    if (write(file_, &happening, sizeof happening) != sizeof happening) throw std::runtime_error("cannot write");
  }

  static std::vector<Happening> read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<Happening> all;
    for (Happening next{}; file.read(reinterpret_cast<char*>(&next), sizeof next);) all.push_back(next);
    return all;
  }

 private:
  int file_;
};

using Texts = perdure::memo<std::string(std::int64_t)>;

/// Every other one is too long to lie in the string itself.
std::string text_of(std::int64_t number) {
  return std::to_string(number) + std::string(number % 2 == 0 ? 3 : 40, static_cast<char>('a' + number % 26));
}

/// Takes some time, so that kills meet it.
std::string evaluate(const Diary& diary, Texts& self, std::int64_t number) {
  diary.add(What::call, number);
  const std::string before = number == 0 ? "" : self(number - 1);
  if (number != 0 && before != text_of(number - 1)) throw std::runtime_error("the result before is wrong");
  std::mt19937_64 random(static_cast<std::uint64_t>(number));
  random.discard(200'000);
  return text_of(number);
}

constexpr perdure::MemoOptions few{.most_entries = 40};

void work(Texts& texts, Texts& limited, const Diary& diary, std::size_t thread, const std::atomic<bool>& running) {
  constexpr std::int64_t new_ones = 6;  // at most, beyond those that are there
  std::mt19937_64 random(std::random_device{}() + thread);
  while (running) {
    const auto there = static_cast<std::int64_t>(texts.statistics().entries);
    const auto number = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(there + new_ones));
    if (texts(number) != text_of(number)) throw std::runtime_error("a result is wrong");
    diary.add(What::result, number);
    if (limited(number % 100) != text_of(number % 100)) throw std::runtime_error("a result of the limited is wrong");
  }
}

/// \returns the results that were returned.
std::map<std::int64_t, bool> check_order(const std::vector<Happening>& all) {
  std::map<std::int64_t, bool> returned;
  std::map<std::int64_t, std::size_t> run_of_call;
  std::size_t run = 0, calls = 0;
  for (const auto& [what, number] : all) {
    if (what == What::run) ++run;
    if (what == What::result) returned[number] = true;
    if (what != What::call) continue;
    ++calls;
    if (returned.contains(number)) throw std::runtime_error(std::to_string(number) + " was evaluated again");
    if (run_of_call[number] == run) throw std::runtime_error(std::to_string(number) + " was evaluated twice in a run");
    run_of_call[number] = run;
  }
  std::printf("calls %zu results %zu interrupted %zu\n", calls, returned.size(), calls - run_of_call.size());
  return returned;
}

void check(perdure::Pool& pool, const std::string& diary) {
  const auto unwanted = [](std::int64_t) -> std::string { throw std::runtime_error("a result is missing"); };
  Texts texts(pool, "texts", unwanted);
  for (const auto& [number, _] : check_order(Diary::read(diary)))
    if (texts(number) != text_of(number)) throw std::runtime_error("a result is wrong");
  Texts limited(pool, "limited", text_of, few);
  if (limited.statistics().entries > few.most_entries) throw std::runtime_error("more entries than the limit");
  for (std::int64_t number = 0; number < 100; ++number)
    if (limited(number) != text_of(number)) throw std::runtime_error("a result of the limited is wrong");
}

void run(const VictimOptions& options) {
  auto pool = perdure::Pool::open(options.path);
  OpenSummary summary;
  summary.add(pool.wait_for_mark());
  summary.print();
  const std::string diary_path = options.path + ".diary";
  if (options.check) return check(pool, diary_path);
  const Diary diary(diary_path);
  diary.add(What::run, 0);
  Texts texts(pool, "texts", [&](Texts& self, std::int64_t number) { return evaluate(diary, self, number); });
  Texts limited(pool, "limited", text_of, few);
  std::puts("working");
  std::fflush(stdout);
  run_threads(options, [&](std::size_t thread, const std::atomic<bool>& running) {
    work(texts, limited, diary, thread, running);
  });
}

}  // namespace

int main(int count, char** arguments) { return run_victim("Asks a memo for results", count, arguments, run); }
