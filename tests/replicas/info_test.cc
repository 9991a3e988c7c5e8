// What `perdure info` says of second copies.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "perdure/statistics.h"
#include "persist/instance.h"
#include "replicated_pool.h"
#include "tests/tools/tool.h"

namespace perdure {
namespace {

class ReplicasInFile : public ReplicatedPoolTest {
 protected:
  /// Of threads that help each other, three at least.
  static log::Copy copies() { return std::max(GetParam(), log::Copy{instance.facts.helps ? 3U : 2U}); }
};

nlohmann::json info(const std::filesystem::path& path) {
  const testing::Outcome outcome = testing::run_tool("info --json '" + path.string() + "'");
  EXPECT_EQ(outcome.status, 0) << outcome.output;
  return nlohmann::json::parse(outcome.output);
}

TEST_P(ReplicasInFile, AreCountedInAPoolThatIsInUse) {
  Pool pool = Pool::open(path());
  EXPECT_EQ(info(path())["replicas"], 0);
  const std::uint64_t turns = statistics().replica_turns;
  Words& words = words_of(pool);
  for (long i = 1; i <= 4; ++i) {
    TM_BEGIN { words.first->value = words.second->value = i; } TM_END;
    const nlohmann::json found = info(path());
    EXPECT_EQ(found["state"], "in use");
    EXPECT_EQ(found["replicas"], statistics().replicas);
    EXPECT_GE(found["replicas"], 2);
    EXPECT_EQ(found["replica_bytes"], statistics().replica_bytes);
    EXPECT_EQ(found["copies"], copies());
    EXPECT_EQ(found["replicas_count"], copies() > two_copies || (statistics().replica_turns - turns) % 2 != 0)
        << "each turn names the other copy; of more, the pool itself never counts";
  }
  pool.close();
  const nlohmann::json found = info(path());
  EXPECT_EQ(found["copies"], 1);
  EXPECT_EQ(found["replicas"], 0);
  EXPECT_EQ(found["replica_bytes"], 0);
  EXPECT_EQ(found["replicas_count"], false);
}

TEST_P(ReplicasInFile, AreCountedInAPoolThatWasNotClosed) {
  make();
  int counted = 0;
  for (long updates = 1; updates <= 2; ++updates) {
    leave_crashed(updates);
    const nlohmann::json found = info(path());
    EXPECT_EQ(found["state"], "crashed");
    EXPECT_EQ(found["copies"], copies());
    EXPECT_EQ(found["replicas"], 2 * (copies() - 1));
    EXPECT_EQ(found["replica_bytes"], 2 * (copies() - 1) * pool::superblock_bytes);
    counted += found["replicas_count"] ? 1 : 0;
  }
  EXPECT_EQ(counted, copies() == two_copies ? 1 : 2) << "of two copies, after the first update, or the second";
  {
    const Pool pool = Pool::open(path());
  }
  EXPECT_EQ(info(path())["replicas"], 0);
}

INSTANTIATE_TEST_SUITE_P(Copies, ReplicasInFile, ::testing::Values(two_copies, several_copies),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace perdure
