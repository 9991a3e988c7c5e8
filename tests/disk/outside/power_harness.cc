// Cuts the power of a program again and again, from outside: what it writes lies on a file system of our own, which
// loses what was not synchronised. The program says what it has committed, and in its next life what it finds.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "life.h"
#include "losing_files.h"
#include "losing_mount.h"

namespace perdure::outside {
namespace {

struct Command {
  std::string victim;
  unsigned cuts = 100;
  unsigned kills = 0;
  unsigned damages = 0;
  unsigned errors = 0;
  std::uint64_t seed = 1;
  unsigned lives = 10;  // of the same files
  unsigned most_calls = 400;
  std::string damaged;  // the files that have this in their names
  bool expects_loss = false;
};

struct Tally {
  std::map<std::string, unsigned> counts;
  std::string example;
  void add(const std::string& what, const std::string& details = {}) {
    ++counts[what];
    if (!details.empty() && example.empty()) example = what + ": " + details;
  }
  unsigned violations() const {
    unsigned sum = 0;
    for (const char* const what : {"lost", "broken", "refused", "signal"})
      if (const auto found = counts.find(what); found != counts.end()) sum += found->second;
    return sum;
  }
};

class Harness {
 public:
  explicit Harness(const Command& command) : command_(command), random_(command.seed), mount_(files_) {}
  ~Harness() = default;

  Tally cut_power(unsigned cuts, LosingFiles::End end) {
    Tally tally;
    for (unsigned cut = 0; cut < cuts; ++cut) {
      if (cut % command_.lives == 0) begin_anew();
      // Some come early: in opening, and so in recovery.
      const std::size_t calls = 1 + random_() % (random_() % 4 == 0 ? 40 : command_.most_calls);
      const Story story = live(calls, end, many_steps);
      judge(story, tally);
      tally.add(story.was_ended ? "ended" : "not ended");
      files_.begin_again(random_());
    }
    judge(live(0, end, 0), tally);
    return tally;
  }

  /// A call fails, once. The program may be told, but what it has acknowledged holds.
  Tally fail_calls(unsigned errors) {
    Tally tally;
    for (unsigned i = 0; i < errors; ++i) {
      begin_anew();
      constexpr std::array numbers = {EIO, ENOSPC};
      files_.fail_in(1 + random_() % command_.most_calls, numbers[random_() % numbers.size()]);
      const Story story = live(0, LosingFiles::End::power_cut, some_steps);
      if (story.complaint.empty()) judge(story, tally);
      tally.add(story.has_failed ? "told" : "not told");
      // Whatever was not durable is lost, after an error as at any time.
      files_.fail_in(0, 0);
      files_.end_in(1, LosingFiles::End::power_cut, [] {});
      acknowledged_ = story.acknowledged;
      is_known_ = story.has_found;
      files_.begin_again(random_());
      judge(live(0, LosingFiles::End::power_cut, 0), tally);
    }
    return tally;
  }

  /// The device changes a bit of what was acknowledged.
  Tally damage(unsigned times) {
    Tally tally;
    for (unsigned i = 0; i < times; ++i) {
      begin_anew();
      const std::size_t calls = 100 + random_() % command_.most_calls;
      const Story story = live(calls, LosingFiles::End::kill, many_steps);
      files_.begin_again(0);
      acknowledged_ = story.acknowledged;
      if (!flip_a_bit()) continue;
      Tally one;
      judge(live(0, LosingFiles::End::kill, 0), one);
      const bool is_refused = one.counts.contains("refused");
      const bool is_lost = one.counts.contains("lost");
      const bool is_broken = one.counts.contains("broken") || one.counts.contains("signal");
      tally.add(is_refused  ? "damage refused"
                : is_lost   ? "acknowledged cut off silently"
                : is_broken ? "wrong data"
                            : "no harm");
    }
    return tally;
  }

 private:
  static constexpr unsigned many_steps = 100'000;
  static constexpr unsigned some_steps = 60;

  void begin_anew() {
    files_.clear();
    acknowledged_ = {};
    is_known_ = false;
  }

  bool flip_a_bit() {
    std::vector<std::string> paths;
    collect("/", paths);
    for (unsigned attempt = 0; attempt < 100'000 && !paths.empty(); ++attempt) {
      const std::string& path = paths[random_() % paths.size()];
      const std::size_t size = files_.size_of(*files_.find(path));
      if (size == 0) continue;
      const std::size_t offset = random_() % size;
      if (files_.damage(path, offset)) return true;
      files_.damage(path, offset);  // it was empty: as it was
    }
    return false;
  }

  void collect(const std::string& folder, std::vector<std::string>& paths) {
    for (const std::string& name : files_.names_in(folder)) {
      const std::string path = (folder == "/" ? "/" : folder + "/") + name;
      if (S_ISDIR(files_.find(path)->mode))
        collect(path, paths);
      else if (path.find(command_.damaged) != std::string::npos)
        paths.push_back(path);
    }
  }

  /// \param calls  0: it ends by itself.
  Story live(std::size_t calls, LosingFiles::End end, unsigned steps) {
    return outside::live(files_, {command_.victim, mount_.folder() / "store", std::to_string(steps)}, calls, end);
  }

  void judge(const Story& story, Tally& tally) {
    const bool was_killed_by_us = WIFSIGNALED(story.status) && WTERMSIG(story.status) == SIGKILL;
    if (WIFSIGNALED(story.status) && !was_killed_by_us) tally.add("signal", std::to_string(WTERMSIG(story.status)));
    if (!story.complaint.empty() && !(story.was_ended && story.complaint.starts_with("refused"))) {
      // (A store that was not made yet, as far as anybody was told, may be half there.)
      if (is_known_) tally.add(story.complaint.starts_with("broken") ? "broken" : "refused", story.complaint);
      if (!is_known_) tally.add("half made");
      return begin_anew();
    }
    if (!story.has_found) return;
    std::uint64_t lost = 0;
    for (std::size_t thread = 0; thread < victim_threads; ++thread)
      if (story.found[thread] < acknowledged_[thread]) lost += acknowledged_[thread] - story.found[thread];
    if (lost != 0) tally.add("lost", std::to_string(lost) + " acknowledged commits");
    acknowledged_ = story.acknowledged;
    is_known_ = true;
  }

  const Command command_;
  std::mt19937_64 random_;
  LosingFiles files_;
  LosingMount mount_;
  Counts acknowledged_{};
  bool is_known_ = false;  // that there is a store
};

unsigned print(const char* what, const Tally& tally) {
  std::printf("%s:", what);
  for (const auto& [name, count] : tally.counts) std::printf(" %s %u;", name.c_str(), count);
  std::printf("%s%s\n", tally.example.empty() ? "" : " first ", tally.example.c_str());
  std::fflush(stdout);
  return tally.violations();
}

int main_of(const Command& command) {
  Harness harness(command);
  unsigned violations = 0;
  if (command.cuts != 0)
    violations += print("power cuts", harness.cut_power(command.cuts, LosingFiles::End::power_cut));
  if (command.kills != 0) violations += print("kills", harness.cut_power(command.kills, LosingFiles::End::kill));
  if (command.errors != 0) violations += print("errors", harness.fail_calls(command.errors));
  if (command.damages != 0) violations += print("damage", harness.damage(command.damages));
  return (violations != 0) == command.expects_loss ? 0 : 1;
}

}  // namespace
}  // namespace perdure::outside

int main(int argc, char** argv) {
  perdure::outside::Command command;
  CLI::App app("Cuts the power of a program, on a file system that loses what was not synchronised");
  app.add_option("victim", command.victim, "the program (tests/disk/outside/victim.h)")->required();
  app.add_option("--cuts", command.cuts, "of the power");
  app.add_option("--kills", command.kills, "by SIGKILL");
  app.add_option("--errors", command.errors, "single calls that fail");
  app.add_option("--damages", command.damages, "bits that are flipped after a kill");
  app.add_option("--damaged", command.damaged, "only files with this in their names");
  app.add_option("--seed", command.seed);
  app.add_option("--lives", command.lives, "of the same files")->check(CLI::PositiveNumber);
  app.add_option("--most-calls", command.most_calls, "of a life")->check(CLI::PositiveNumber);
  app.add_flag("--expects-loss", command.expects_loss, "fails when nothing is lost: a control");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return perdure::outside::main_of(command);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "power_harness: %s\n", error.what());
    return 2;
  }
}
