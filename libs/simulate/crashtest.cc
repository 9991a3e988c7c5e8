// A program linked with a …_sim library runs as usual, unless its first argument is --perdure-crashtest: then it is
// explored (docs/crash-testing.md; bin/perdure-crashtest calls it so).
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <span>

#include "perdure/statistics.h"
#include "simulate/disk_exploration.h"
#include "simulate/isolated.h"
#include "simulate/options.h"
#include "simulate/program_under_test.h"
#include "simulate/whereabouts.h"

namespace perdure::simulate {
namespace {

constexpr const char* own_argument = "--perdure-crashtest";

enum Status { sound = 0, violated = 1, misused = 2 };

int refuse(const std::string& message) {
  std::fprintf(stderr, "perdure-crashtest: %s\n", message.c_str());
  return misused;
}

Plan plan_of(const Options& options) {
  Plan plan;
  plan.depth = options.depth;
  plan.samples = options.samples;
  plan.seed = options.seed;
  plan.replay = options.replay;
  plan.schedules = mixed_schedules(options.schedules, options.seed);
  plan.schedules.insert(plan.schedules.begin(), Strategy{});
  return plan;
}

/// Comes to the crash again, and says where it is before the check begins.
/// \throws what is found wrong.
void come_to_crash(const Options& options) {
  ProgramUnderTest program;
  const Plan plan = plan_of(options);
  Explorer explorer(program, plan, pool_directory(getpid()));
  explorer.on_case = [&](const Case& current) {
    if (current.crashes.empty() || current.crashes.size() != plan.replay->crashes.size()) return;
    std::fprintf(stderr, current.crashes.size() == 1 ? "the crash came\n" : "the first crash came\n");
    for (const std::string& line : whereabouts(explorer.trace(), current.crashes.front().event))
      std::fprintf(stderr, "  %s\n", line.c_str());
  };
  explorer.explore();
}

int replay(const Options& options) {
  try {
    come_to_crash(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "VIOLATION: %s\n", error.what());
    return violated;
  }
  std::printf("no violation\n");
  return sound;
}

/// What the check prints about the failing case is worth seeing; of all others it is not.
void show_again(const Options& options, const std::string& at) {
  Options again = options;
  again.replay = Case::parse(at);
  if (!again.replay) return;
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    alarm(options.seconds);
    try {
      come_to_crash(again);
    } catch (const std::exception&) {  // said already
    }
    std::fflush(nullptr);
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  std::filesystem::remove_all(pool_directory(child));  // of a check that did not come to its end
}

int explore(const char* path, const Options& options) {
  ProgramUnderTest program;
  const Verdict verdict = explore_isolated(program, plan_of(options), options.seconds, Output::hidden);
  const auto count = [](std::uint64_t number) { return static_cast<unsigned long long>(number); };
  if (!verdict.violation) {
    std::printf(
        "%s with %s: %llu events, %llu crash states checked, %llu of them left by a crash of recovery: no "
        "violation\n",
        path, library_name(), count(verdict.report.events), count(verdict.report.states), count(verdict.report.nested));
    return sound;
  }
  std::fprintf(stderr, "%s with %s: VIOLATION: %s\n", path, library_name(), verdict.violation->c_str());
  show_again(options, verdict.at);
  std::fprintf(stderr, "replay with: %s %s --replay=%s     # gdb --args … to look at it\n", shell_word(path).c_str(),
               own_argument, verdict.at.c_str());
  return violated;
}

DiskPlan disk_plan_of(const Options& options) {
  DiskPlan plan;
  plan.depth = options.depth;
  if (options.samples != 0) plan.samples = options.samples;
  plan.seed = options.seed;
  plan.seconds = options.seconds;
  plan.replay = options.disk_replay;
  return plan;
}

int explore_disk(const char* path, const Options& options) {
  const DiskVerdict verdict = explore_on_disk(disk_plan_of(options));
  if (verdict.violation) {
    std::fprintf(stderr, "%s with %s on a disk: VIOLATION: %s\n", path, library_name(), verdict.violation->c_str());
    if (!options.disk_replay)
      std::fprintf(stderr, "replay with: %s %s --replay=%s\n", shell_word(path).c_str(), own_argument,
                   verdict.at.spell().c_str());
    return violated;
  }
  if (options.disk_replay) {
    std::printf("no violation\n");
    return sound;
  }
  const DiskReport& report = verdict.report;
  if (report.calls == 0)
    return refuse(
        std::string(path) + " with " + library_name() +
        " has no pool with a log on a disk. Link a library of the mode fast, such as orec_lazy_fast_sim; do " +
        "not open the pool with Durability::process; and set TMPDIR to a folder on a disk.");
  std::printf(
      "%s with %s on a disk: %zu calls that write or flush, %llu crash states checked, %llu of them left by a crash of "
      "recovery: no violation\n",
      path, library_name(), report.calls, static_cast<unsigned long long>(report.states),
      static_cast<unsigned long long>(report.nested));
  return sound;
}

int crashtest(const char* program, std::span<char*> arguments) {
  Options options;
  for (const char* const argument : arguments)
    if (!options.read(argument))
      return refuse(std::string(argument) + " is not an option; there are " + spell_options());
  if (!ProgramUnderTest::is_defined())
    return refuse(std::string(program) + " does not define perdure_crash_workload and perdure_crash_check: see " +
                  "perdure/crashtest.h");
  if (options.is_on_disk) return explore_disk(program, options);
  return options.replay ? replay(options) : explore(program, options);
}

int (*main_of_program)(int, char**, char**);

int main_or_crashtest(int count, char** arguments, char** environment) {
  if (count < 2 || std::strcmp(arguments[1], own_argument) != 0) return main_of_program(count, arguments, environment);
  return crashtest(arguments[0], {arguments + 2, arguments + count});
}

}  // namespace
}  // namespace perdure::simulate

extern "C" {

/// What the start-up code calls with the program's main: by then everything is loaded, and here static objects are
/// made.
int __libc_start_main(int (*main)(int, char**, char**), int count, char** arguments, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
  using Start = decltype(__libc_start_main);
  perdure::simulate::main_of_program = main;
  auto* const start = reinterpret_cast<Start*>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(perdure::simulate::main_or_crashtest, count, arguments, init, fini, loader_fini, stack_end);
}

}  // extern "C"
