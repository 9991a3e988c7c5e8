// What the processor is said to have agrees with what the system says, and does what it is to do.
#include "htm/offer.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "htm/rtm.h"

namespace perdure::htm {
namespace {

/// The system leaves out what microcode has switched off.
bool does_system_see_rtm() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("flags")) continue;
    std::istringstream flags(line);
    for (std::string flag; flags >> flag;)
      if (flag == "rtm") return true;
    return false;
  }
  ADD_FAILURE() << "/proc/cpuinfo has no flags";
  return false;
}

TEST(Offer, AgreesWithTheSystem) {
  if (does_system_see_rtm())
    EXPECT_NE(offer(), Offer::none);
  else
    EXPECT_NE(offer(), Offer::works);
}

TEST(Status, OfACommitIsNotOneOfGivingUp) {
  EXPECT_TRUE(Status::committed().has_committed());
  EXPECT_FALSE(Status::committed().was_given_up());
  EXPECT_TRUE(Status(Status::given_up).was_given_up());
}

TEST(Rtm, CommitsAllOrNothing) {
  if (!Rtm::is_offered()) GTEST_SKIP() << "hardware transactions here: " << name_of(offer());
  std::uint64_t word = 1;
  Status status(Status::other);
  for (int i = 0; i < 1000 && !status.has_committed(); ++i)
    status = Rtm::attempt([&] { Rtm::store(word, Rtm::load(word) + 1); });
  EXPECT_TRUE(status.has_committed());
  EXPECT_EQ(word, 2U);
  for (int i = 0; i < 1000 && !status.was_given_up(); ++i)
    status = Rtm::attempt([&] {
      Rtm::store(word, std::uint64_t{7});
      Rtm::give_up<9>();
    });
  EXPECT_TRUE(status.was_given_up());
  EXPECT_EQ(status.code(), 9);
  EXPECT_EQ(word, 2U);
}

}  // namespace
}  // namespace perdure::htm
