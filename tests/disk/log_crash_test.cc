// Crashes of the log on a simulated disk: at every call, with every subset of what was not durable, in recovery too;
// and mistakes seeded into the log, each of which must show.
#include <gtest/gtest.h>

#include <cstdio>
#include <functional>
#include <optional>
#include <random>
#include <string>

#include "model_pool.h"
#include "perdure/error.h"
#include "persist/fault.h"

namespace perdure::disk {
namespace {

using persistence::Fault;
using simulate::BlockVolume;
using simulate::DiskChoices;
using Found = std::optional<std::string>;  // a violation

/// What a program does with its pool, in the order of letters: c commit, r relaxed commit, f flush, t two at once,
/// k checkpoint, K checkpoint with commits in its midst.
using Script = std::string;

void play(ModelPool& pool, const Script& script) {
  for (const char step : script) switch (step) {
      case 'c':
        pool.commit();
        break;
      case 'r':
        pool.commit_relaxed();
        break;
      case 'f':
        pool.flush();
        break;
      case 't':
        pool.commit_two_at_once();
        break;
      default:
        pool.checkpoint(step == 'K');
    }
}

struct Plan {
  Script script;
  Script after = "ccr";  ///< what the next process does
  SyncMethod method = SyncMethod::durable_write;
  BlockVolume::Reading reading = BlockVolume::Reading::device;
  std::size_t outcomes = 60;      ///< of a crash, at most
  std::size_t next_outcomes = 8;  ///< of a second one
};

/// A life of the program: creates the pool where there is none. Its end is a crash, or an error.
void live(BlockVolume& volume, const Plan& plan, const Script& script, Outside& outside) {
  try {
    if (!outside.created) ModelPool::create(volume, plan.method, outside);
    ModelPool pool(volume, outside);
    play(pool, script);
  } catch (const Error&) {
    // As a program is told of a disk that fails; what matters is what it was told before.
  }
}

/// What the world finds that had known `outside`.
Found look(BlockVolume& volume, const Outside& before) {
  Outside outside = before;
  try {
    const ModelPool pool(volume, outside);
    const std::uint64_t found = pool.transactions();
    if (found < before.acknowledged)
      return "transaction " + std::to_string(before.acknowledged) + " was acknowledged, and only " +
             std::to_string(found) + " are there";
    if (found > before.appended) return "transaction " + std::to_string(found) + " was never there";
    if (pool.words() != Words::after(found)) return "the state is that of no prefix";
    return std::nullopt;
  } catch (const PoolError& error) {
    if (!before.created) return std::nullopt;
    return std::string("refused: ") + error.what();
  }
}

class Exploration {
 public:
  explicit Exploration(const Plan& plan) : plan_(plan) {}

  /// Every call of the first life is cut, with each outcome; and of the life after that.
  Found power_cuts() {
    return in_every_call([&](const BlockVolume& volume, const Outside& outside) {
      return for_outcomes(volume, plan_.outcomes, [&](BlockVolume& left) {
        ++states;
        if (Found found = look(*left.after_kill(), outside)) return found;
        return states % 7 == 0 ? next_life(left, outside) : std::nullopt;
      });
    });
  }

  /// A kill keeps what was written; a power cut in the next life, or at its end, may take it.
  Found kills() {
    return in_every_call([&](const BlockVolume& volume, const Outside& outside) {
      const auto left = volume.after_kill();
      if (Found found = look(*left->after_kill(), outside)) return found;
      return next_life(*left, outside);
    });
  }

  /// Each call fails in each way; the process that is told ends, and what it leaves must hold.
  Found errors() {
    for (const int error : {EIO, ENOSPC})
      for (const auto failure : {BlockVolume::Failure::has_no_effect, BlockVolume::Failure::has_half})
        for (std::size_t call = 0; call < calls(); ++call) {
          BlockVolume volume(plan_.reading);
          volume.fail_in(call, error, failure);
          Outside outside;
          live(volume, plan_, plan_.script, outside);
          // What was to make the pool may be half there; it is made anew.
          if (!outside.created) continue;
          if (Found found = for_outcomes(volume, plan_.next_outcomes, [&](BlockVolume& left) {
                ++states;
                return look(left, outside);
              }))
            return found;
          if (Found found = next_life(*volume.after_kill(), outside)) return found;
        }
    return std::nullopt;
  }

  std::size_t states = 0;

 private:
  std::size_t calls() const {
    BlockVolume volume(plan_.reading);
    Outside outside;
    live(volume, plan_, plan_.script, outside);
    return volume.calls();
  }

  template <class Check>
  Found in_every_call(Check&& check) {
    const std::size_t end = calls();
    for (std::size_t call = 0; call <= end; ++call) {
      BlockVolume volume(plan_.reading);
      volume.cut_power_in(call);
      Outside outside;
      live(volume, plan_, plan_.script, outside);
      if (Found found = check(volume, outside)) return "in call " + std::to_string(call) + ": " + *found;
    }
    return std::nullopt;
  }

  template <class Check>
  Found for_outcomes(const BlockVolume& volume, std::size_t limit, Check&& check) {
    DiskChoices choices(limit);
    do {
      const auto left = volume.after_power_cut(choices);
      if (Found found = check(*left)) return found;
    } while (choices.next());
    // Pages of the image are written again in place, and rely on sectors; the log and the superblocks do not.
    static const BlockVolume::Range ranges[] = {
        {"pool.log", 0, (1 + ModelPool::ring_blocks) * block_bytes},
        {"pool", ModelPool::superblock_offset, ModelPool::superblock_offset + sector_bytes}};
    DiskChoices torn(limit);
    do {
      const auto left = volume.after_torn_sectors(torn, ranges);
      if (Found found = check(*left)) return "torn sector: " + *found;
    } while (torn.next());
    return std::nullopt;
  }

  /// Recovery and some transactions more, cut in every call and at the end.
  Found next_life(const BlockVolume& left, const Outside& outside) {
    if (!outside.created) return std::nullopt;
    for (std::size_t call = 0;; ++call) {
      const auto volume = left.after_kill();
      volume->cut_power_in(call);
      Outside next = outside;
      live(*volume, plan_, plan_.after, next);
      if (Found found = for_outcomes(*volume, plan_.next_outcomes, [&](BlockVolume& again) {
            ++states;
            return look(again, next);
          }))
        return "in call " + std::to_string(call) + " of the next life: " + *found;
      if (volume->has_power()) return std::nullopt;
    }
  }

  const Plan plan_;
};

const Plan plans[] = {
    {.script = "cc"},
    {.script = "ccrcc", .after = "tc"},
    {.script = "ctrtc"},
    {.script = "crrkcrkcc"},
    {.script = "cccrrkccccKcccccccKcrc", .outcomes = 40},  // several laps
    {.script = "ccrcc", .method = SyncMethod::sync_after},
    {.script = "crrkcrkcc", .method = SyncMethod::sync_after},
};

/// Until one finds something.
Found explore(const Plan& plan) {
  Exploration exploration(plan);
  if (Found found = exploration.power_cuts()) return "power cut " + *found;
  if (Found found = exploration.kills()) return "kill " + *found;
  if (Found found = exploration.errors()) return "error " + *found;
  return std::nullopt;
}

class LogCrash : public testing::TestWithParam<Plan> {};

TEST_P(LogCrash, LeavesAPrefixWithAllThatWasAcknowledged) {
  Exploration exploration(GetParam());
  EXPECT_EQ(exploration.power_cuts(), std::nullopt);
  EXPECT_EQ(exploration.kills(), std::nullopt);
  EXPECT_EQ(exploration.errors(), std::nullopt);
  EXPECT_GT(exploration.states, 1000U);
  RecordProperty("states", static_cast<int>(exploration.states));
}
INSTANTIATE_TEST_SUITE_P(Scripts, LogCrash, testing::ValuesIn(plans), [](const auto& info) {
  return info.param.script + (info.param.method == SyncMethod::sync_after ? "_sync_after" : "");
});

/// Other scripts in each repetition: --gtest_repeat=60 --gtest_shuffle explores a million states and more.
TEST(RandomScript, LeavesAPrefixWithAllThatWasAcknowledged) {
  const int seed = testing::UnitTest::GetInstance()->random_seed();
  std::mt19937 random(static_cast<unsigned>(seed));
  const auto script_of = [&random](std::size_t length) {
    Script script;
    while (script.size() < length) script += "cccrrftkK"[random() % 9];
    return script;
  };
  Plan plan{.script = script_of(4 + random() % 12), .after = script_of(1 + random() % 3), .outcomes = 40};
  if (random() % 2 == 0) plan.method = SyncMethod::sync_after;
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + plan.script + ", then " + plan.after);
  Exploration exploration(plan);
  EXPECT_EQ(exploration.power_cuts(), std::nullopt);
  EXPECT_EQ(exploration.kills(), std::nullopt);
  EXPECT_EQ(exploration.errors(), std::nullopt);
  EXPECT_GT(exploration.states, 1000U);
  std::printf("%zu states\n", exploration.states);
}

// -- damage -----------------------------------------------------------------------------------------------------------

constexpr std::size_t damaged_commits = 6;

/// Flips a bit in each group of a log in turn, none of which is the last.
Found damage_each_group() {
  const Plan plan{.script = Script(damaged_commits, 'c')};
  for (std::uint64_t block = 1; block <= damaged_commits; ++block) {
    BlockVolume volume;
    Outside outside;
    live(volume, plan, plan.script, outside);
    // Block 0 is the superblock's; the first group begins the run, the first records have one block each.
    volume.damage("pool.log", block * block_bytes + 100);
    if (Found found = look(volume, outside))
      if (found->find("acknowledged are missing") == std::string::npos) return found;
  }
  return std::nullopt;
}

TEST(DamagedLog, IsRefusedWhereALaterGroupVouchesForIt) { EXPECT_EQ(damage_each_group(), std::nullopt); }

TEST(DamagedLog, LooksLikeACrashInTheLastGroup) {
  BlockVolume volume;
  Outside outside;
  live(volume, {}, "c", outside);
  volume.damage("pool.log", 2 * block_bytes + 70);
  Outside after;
  EXPECT_EQ(ModelPool(volume, after).transactions(), 0U);
}

TEST(DamagedSuperblock, IsReadFromItsOtherCopy) {
  for (const bool in_log : {false, true}) {
    BlockVolume volume;
    Outside outside;
    live(volume, {}, "ccck", outside);
    volume.damage(in_log ? "pool.log" : "pool", in_log ? 40 : ModelPool::superblock_offset + 40);
    EXPECT_EQ(look(volume, outside), std::nullopt);
  }
}

TEST(DamagedSuperblock, IsRefusedWhereBothAre) {
  BlockVolume volume;
  Outside outside;
  live(volume, {}, "c", outside);
  volume.damage("pool.log", 40);
  volume.damage("pool", ModelPool::superblock_offset + 40);
  EXPECT_THROW(ModelPool(volume, outside), PoolError);
}

TEST(RestoredFile, IsRefusedWithoutTheOther) {
  for (const char* const restored : {"pool", "pool.log"}) {
    BlockVolume volume;
    Outside outside;
    live(volume, {}, "ck", outside);
    const auto backup = volume.after_kill();
    live(volume, {}, "ckck", outside);
    volume.restore(restored, *backup);
    EXPECT_THROW(ModelPool(volume, outside), PoolError) << restored;
  }
}

TEST(LostLog, IsNamed) {
  BlockVolume volume;
  Outside outside;
  live(volume, {}, "c", outside);
  ASSERT_EQ(volume.remove("pool.log"), 0);
  try {
    const ModelPool pool(volume, outside);
    FAIL() << "opened without its log";
  } catch (const PoolError& error) {
    EXPECT_NE(std::string(error.what()).find("has lost its log 'pool.log'"), std::string::npos) << error.what();
  }
}

// -- seeded mistakes --------------------------------------------------------------------------------------------------

struct Seeded {
  Fault fault;
  const char* name;
};

class SeededLogFault : public testing::TestWithParam<Seeded> {
 protected:
  SeededLogFault() { persistence::seeded_fault = GetParam().fault; }
  ~SeededLogFault() override { persistence::seeded_fault = Fault::none; }
};

TEST_P(SeededLogFault, IsCaught) {
  if (GetParam().fault == Fault::damage_cut_off) {
    EXPECT_NE(damage_each_group(), std::nullopt);
    return;
  }
  Found found;
  for (Plan plan : plans) {
    // Not a step of the log, but where it reads.
    if (GetParam().fault == Fault::page_cache_believed) plan.reading = BlockVolume::Reading::page_cache;
    if (found = explore(plan); found) break;
  }
  ASSERT_TRUE(found) << "nothing shows it";
  std::printf("%s: %s\n", GetParam().name, found->c_str());
}

INSTANTIATE_TEST_SUITE_P(
    Each, SeededLogFault,
    testing::Values(
        Seeded{Fault::acknowledged_unflushed, "acknowledged_unflushed"},
        Seeded{Fault::durable_out_of_order, "durable_out_of_order"},
        Seeded{Fault::blocks_rewritten, "blocks_rewritten"}, Seeded{Fault::log_reused_early, "log_reused_early"},
        Seeded{Fault::superblock_before_image, "superblock_before_image"},
        Seeded{Fault::image_before_log, "image_before_log"}, Seeded{Fault::superblocks_at_once, "superblocks_at_once"},
        Seeded{Fault::run_not_begun, "run_not_begun"}, Seeded{Fault::run_not_durable, "run_not_durable"},
        Seeded{Fault::log_not_settled, "log_not_settled"}, Seeded{Fault::torn_groups_believed, "torn_groups_believed"},
        Seeded{Fault::stale_groups_believed, "stale_groups_believed"}, Seeded{Fault::damage_cut_off, "damage_cut_off"},
        Seeded{Fault::error_ignored, "error_ignored"}, Seeded{Fault::sync_again, "sync_again"},
        Seeded{Fault::acknowledged_unwritten, "acknowledged_unwritten"}, Seeded{Fault::vouched_early, "vouched_early"},
        Seeded{Fault::page_cache_believed, "page_cache_believed"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace perdure::disk
