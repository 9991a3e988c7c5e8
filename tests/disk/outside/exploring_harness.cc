// Small workloads in a pool (small_victim.cc): the power fails in each call that changes or synchronises a file, or the
// process is killed there; of what a power cut may leave, all is tried, or as much as there is time for; then again in
// each call of the next life, recovery with it.
#include <sys/wait.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "life.h"
#include "losing_files.h"
#include "losing_mount.h"
#include "simulate/block_volume.h"

namespace perdure::outside {
namespace {

using simulate::DiskChoices;

struct Command {
  std::string victim;
  std::size_t outcomes = 8;       // of a crash, at most
  std::size_t next_outcomes = 2;  // of one in the life after that
  std::size_t every = 4;          // of how many outcomes the next life is cut, too
  unsigned workloads = 0;         // 0: all
};

class Exploration {
 public:
  Exploration(const Command& command, unsigned workload)
      : command_(command), workload_(std::to_string(workload)), mount_(files_) {}

  void run() {
    live(0, LosingFiles::End::power_cut);
    const std::size_t calls = files_.calls();
    for (std::size_t call = 1; call <= calls; ++call)
      for (const auto end : {LosingFiles::End::power_cut, LosingFiles::End::kill}) {
        files_.clear();
        acknowledged_ = 0;
        was_told_ = false;
        look_at(live(call, end), "call " + std::to_string(call));
        after(end, command_.outcomes, "call " + std::to_string(call), true);
      }
  }

  std::uint64_t states() const { return states_; }

 private:
  Story live(std::size_t calls, LosingFiles::End end) {
    return outside::live(files_, {command_.victim, mount_.folder() / "store", workload_}, calls, end);
  }

  /// All that the crash may have left: the next life goes on to its end, or is cut in each of its calls.
  void after(LosingFiles::End end, std::size_t outcomes, const std::string& where, bool goes_deeper) {
    const auto crashed = files_.state();
    const std::uint64_t acknowledged = acknowledged_;
    const bool was_told = was_told_;
    DiskChoices choices(end == LosingFiles::End::kill ? 1 : outcomes);
    do {
      files_.set(*crashed);
      files_.begin_again([&](std::size_t count) { return choices.choose(count); });
      ++states_;
      const auto left = files_.state();
      acknowledged_ = acknowledged;
      was_told_ = was_told;
      const std::size_t before = files_.calls();
      look_at(live(0, end), where);
      const std::size_t calls = files_.calls() - before;
      if (!goes_deeper || states_ % command_.every != 0) continue;
      for (std::size_t call = 1; call <= calls; ++call) {
        files_.set(*left);
        acknowledged_ = acknowledged;
        was_told_ = was_told;
        const std::string deeper = where + ", then " + std::to_string(call);
        look_at(live(call, LosingFiles::End::power_cut), deeper);
        after(LosingFiles::End::power_cut, command_.next_outcomes, deeper, false);
      }
    } while (choices.next());
  }

  /// \throws std::runtime_error for what must not be.
  void look_at(const Story& story, const std::string& where) {
    const std::string who = "workload " + workload_ + ", " + where + ": ";
    if (WIFSIGNALED(story.status) && !story.was_ended)
      throw std::runtime_error(who + "signal " + std::to_string(WTERMSIG(story.status)));
    // (A pool that nobody was told of may be half there, if that is said.)
    const bool is_half_made = !was_told_ && story.complaint.starts_with("refused");
    if (!story.complaint.empty() && !story.was_ended && !is_half_made) throw std::runtime_error(who + story.complaint);
    if (!story.has_found) return;
    if (story.found[0] < acknowledged_)
      throw std::runtime_error(who + std::to_string(acknowledged_) + " transactions were acknowledged, " +
                               std::to_string(story.found[0]) + " are there");
    acknowledged_ = story.acknowledged[0];
    was_told_ = true;
  }

  const Command command_;
  const std::string workload_;
  LosingFiles files_;
  LosingMount mount_;
  std::uint64_t acknowledged_ = 0;
  bool was_told_ = false;  // that there is a pool
  std::uint64_t states_ = 0;
};

int main_of(const Command& command) {
  LosingFiles none;
  const Story counted = live(none, {command.victim}, 0, LosingFiles::End::kill);
  const auto all = static_cast<unsigned>(WEXITSTATUS(counted.status));
  const unsigned count = command.workloads == 0 ? all : command.workloads;
  std::uint64_t states = 0;
  for (unsigned workload = 0; workload < count; ++workload) {
    Exploration exploration(command, workload);
    exploration.run();
    std::printf("workload %u: %lu states\n", workload, exploration.states());
    std::fflush(stdout);
    states += exploration.states();
  }
  std::printf("%lu states of %u workloads, no violation\n", states, count);
  return states > 100 ? 0 : 1;
}

}  // namespace
}  // namespace perdure::outside

int main(int argc, char** argv) {
  perdure::outside::Command command;
  CLI::App app("Cuts the power of small workloads in each of their calls");
  app.add_option("victim", command.victim, "small_victim_<library>")->required();
  app.add_option("--outcomes", command.outcomes, "of a crash that are tried, at most")->check(CLI::PositiveNumber);
  app.add_option("--next-outcomes", command.next_outcomes, "of a second one")->check(CLI::PositiveNumber);
  app.add_option("--every", command.every, "n: after each n-th state the next life is cut")->check(CLI::PositiveNumber);
  app.add_option("--workloads", command.workloads, "only the first ones");
  CLI11_PARSE(app, argc, argv);
  try {
    return perdure::outside::main_of(command);
  } catch (const std::exception& error) {
    std::printf("VIOLATION: %s\n", error.what());
    return 1;
  }
}
