#include "simulate/disk_exploration.h"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <functional>
#include <new>
#include <random>
#include <utility>

#include "disk/image_file.h"
#include "persist/simulated.h"
#include "simulate/isolated.h"
#include "simulate/program_under_test.h"

namespace perdure::simulate {
namespace {

namespace fs = std::filesystem;

/// What the outside world knows: the processes of an exploration share it.
struct Outside {
  std::atomic<std::uint64_t> acknowledged{0};
  std::size_t calls = 0;  // of the process that has ended last, unless it was cut short
  char found[2048];       // wrong
};

/// Null in processes that are about persistent memory.
Outside* outside = nullptr;

constexpr std::string_view prefix = "disk";
constexpr int violated = 1;

class DiskExploration {
 public:
  explicit DiskExploration(const DiskPlan& plan)
      : plan_(plan), random_(plan.seed), folder_(fs::temp_directory_path() / pool_directory(getpid()).filename()) {}
  DiskExploration(const DiskExploration&) = delete;
  DiskExploration& operator=(const DiskExploration&) = delete;
  ~DiskExploration() {
    std::error_code none;
    fs::remove_all(folder_, none);
  }

  DiskReport explore() {
    if (plan_.replay) {
      replay();
      return report_;
    }
    begin_again();
    work({no_call, true, 0});
    report_.calls = outside->calls;
    for (std::size_t call = 1; call <= report_.calls; ++call) {
      crash_workload({call, true, 0});
      for (unsigned draw = 0; draw < plan_.samples; ++draw) crash_workload({call, false, random_()});
    }
    return report_;
  }

  const DiskCase& current() const { return current_; }

 private:
  static constexpr std::size_t no_call = ~std::size_t{0};
  using Crash = DiskCase::Crash;

  fs::path now() const { return folder_ / "now"; }
  fs::path pool() const { return now() / "pool"; }

  void begin_again() {
    fs::remove_all(folder_);
    fs::create_directories(now());
    outside->acknowledged = 0;
  }

  void replay() {
    begin_again();
    const auto& crashes = plan_.replay->crashes;
    current_ = *plan_.replay;
    work(crashes.front());
    for (std::size_t number = 1; number < crashes.size(); ++number) check(crashes[number]);
    std::fprintf(stderr, "the last crash came\n");
    check({no_call, true, 0});
  }

  void crash_workload(const Crash& crash) {
    begin_again();
    current_.crashes = {crash};
    work(crash);
    look(1);
  }

  /// Checks what is left by so many crashes, and what is left when that is cut short in a call that is drawn. All calls
  /// would be too many: their number is squared at each depth.
  void look(unsigned crashes) {
    const fs::path left = folder_ / ("left-" + std::to_string(crashes));
    const bool goes_deeper = crashes < plan_.depth;
    const std::uint64_t acknowledged = outside->acknowledged;
    if (goes_deeper) copy(now(), left);
    check({no_call, true, 0});
    ++report_.states;
    if (crashes > 1) ++report_.nested;
    if (!goes_deeper) return;
    const std::size_t calls = outside->calls;
    for (unsigned draw = 0; calls != 0 && draw < plan_.samples; ++draw) {
      copy(left, now());
      outside->acknowledged = acknowledged;
      current_.crashes.push_back(draw_crash(calls));
      check(current_.crashes.back());
      look(crashes + 1);
      current_.crashes.pop_back();
    }
  }

  Crash draw_crash(std::size_t calls) {
    const std::uint64_t lot = random_();
    const bool killed = lot % 2 == 0;
    return {1 + lot / 2 % calls, killed, killed ? 0 : lot};
  }

  static void copy(const fs::path& from, const fs::path& to) {
    fs::remove_all(to);
    fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  }

  void work(const Crash& crash) {
    in_process(crash, [&](ProgramUnderTest& program) { program.run({pool()}); });
  }
  void check(const Crash& crash) {
    in_process(crash, [&](ProgramUnderTest& program) { program.recover_and_check({pool()}, {}); });
  }

  /// \throws Violation unless it comes to its end, or to the crash.
  void in_process(const Crash& crash, const std::function<void(ProgramUnderTest&)>& body) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) live(crash, body);
    int status = 0;
    waitpid(child, &status, 0);
    CuttingVolume::leave_what_is_kept(changes());
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == CuttingVolume::exit_status)) return;
    throw Violation(WIFEXITED(status) && WEXITSTATUS(status) == violated ? outside->found : describe_end(status));
  }

  fs::path changes() const { return folder_ / "changes"; }

  [[noreturn]] void live(const Crash& crash, const std::function<void(ProgramUnderTest&)>& body) {
    if (!plan_.replay) hide_output();
    alarm(plan_.seconds);
    const auto end = crash.killed ? CuttingVolume::End::kill : CuttingVolume::End::power_cut;
    CuttingVolume volume(crash.lot, crash.call, end, changes());
    volume.take_time_out();
    disk::set_volume(&volume);
    try {
      ProgramUnderTest program;
      body(program);
    } catch (const std::exception& error) {
      std::snprintf(outside->found, sizeof(outside->found), "%s", error.what());
      std::fflush(nullptr);
      _exit(violated);
    }
    outside->calls = volume.calls();
    std::fflush(nullptr);
    _exit(0);
  }

  const DiskPlan plan_;
  std::mt19937_64 random_;
  const fs::path folder_;
  DiskReport report_;
  DiskCase current_;
};

}  // namespace

std::string DiskCase::spell() const {
  std::string text(prefix);
  for (const Crash& crash : crashes)
    text += "/" + std::to_string(crash.call) + (crash.killed ? "k" : ":" + std::to_string(crash.lot));
  return text;
}

std::optional<DiskCase> DiskCase::parse(std::string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  DiskCase parsed;
  const auto number = [&](auto& value) {
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), value);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return error == std::errc();
  };
  while (text.starts_with('/')) {
    Crash crash;
    if (!number(crash.call)) return std::nullopt;
    crash.killed = text.starts_with('k');
    if (crash.killed)
      text.remove_prefix(1);
    else if (!text.starts_with(':') || !number(crash.lot))
      return std::nullopt;
    parsed.crashes.push_back(crash);
  }
  if (!text.empty() || parsed.crashes.empty()) return std::nullopt;
  return parsed;
}

DiskVerdict explore_on_disk(const DiskPlan& plan) {
  void* const memory = mmap(nullptr, sizeof(Outside), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  outside = new (memory) Outside{};
  DiskVerdict verdict;
  DiskExploration exploration(plan);
  try {
    verdict.report = exploration.explore();
  } catch (const Violation& violation) {
    verdict.violation = violation.what();
    verdict.at = exploration.current();
  }
  munmap(std::exchange(outside, nullptr), sizeof(Outside));
  return verdict;
}

persistence::Files files() noexcept {
  return outside == nullptr ? persistence::Files::simulated_memory : persistence::Files::simulated_disk;
}

bool acknowledge_on_disk(std::uint64_t step) noexcept {
  if (outside == nullptr) return false;
  std::uint64_t seen = outside->acknowledged;
  while (seen < step && !outside->acknowledged.compare_exchange_weak(seen, step)) {
  }
  return true;
}

std::optional<std::uint64_t> acknowledged_on_disk() noexcept {
  if (outside == nullptr) return std::nullopt;
  return outside->acknowledged;
}

}  // namespace perdure::simulate
