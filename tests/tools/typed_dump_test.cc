// `perdure dump --program`: objects by the types that debug information describes.
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "perdure/c.h"
#include "perdure/pool.h"
#include "pool_test.h"
#include "tool.h"
#include "typed_objects.h"

namespace {
struct Hidden {
  int value = 12;
};
}  // namespace

namespace perdure {
namespace {

using Json = nlohmann::json;
using bank::Account;
using testing::Outcome;

const std::string this_program = std::filesystem::read_symlink("/proc/self/exe");

std::string program_in_form(const std::string& form) { return PERDURE_TYPED_OBJECTS + form + ".so"; }

const Json& member(const Json& object, const std::string& name) {
  for (const Json& found : object["members"])
    if (found["name"] == name) return found;
  throw std::out_of_range(name);
}

class TypedDumpTest : public testing::PoolTest {
 protected:
  void make_accounts() const {
    Pool pool = Pool::open(path());
    Account& first = pool.root<Account>("first");
    Account& second = pool.root<Account>("second");
    TM_BEGIN {
      auto* const label = static_cast<char*>(std::malloc(16));
      std::memcpy(label, "gold", 5);
      auto* const between = new Account;
      first.next = between;
      first.other = &second;
      first.label = label;
      between->next = &second;
      second.next = &first;
    } TM_END;
  }

  template <class T>
  void make(const std::string& name) const {
    Pool::open(path()).root<T>(name);
  }

  Outcome dump(const std::string& options, const std::string& program = this_program) const {
    return testing::run_tool("dump '" + path().string() + "' --program '" + program + "' --root " + options);
  }

  Json ask(const std::string& options, const std::string& program = this_program) const {
    const std::string before = testing::read_all(path());
    const Outcome outcome = dump(options + " --json", program);
    EXPECT_EQ(testing::read_all(path()), before);
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    return outcome.status == 0 ? Json::parse(outcome.output) : Json();
  }

  /// The object of a root of this type, which is made.
  template <class T>
  Json ask_for() const {
    make<T>("root");
    Json dumped = ask("root");
    Pool::open(path()).remove_root<T>("root");
    return dumped;
  }

  void expect_failure(const std::string& program, const std::string& root, const std::string& part) const {
    const Outcome outcome = dump(root, program);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
  }
};

void expect_account(const Json& account) {
  const auto value = [&](const std::string& name) { return member(account, name)["value"]; };
  const Json& base = account["members"][0];
  EXPECT_EQ(base["name"], "");
  EXPECT_EQ(base["type"], "bank::Entity");
  EXPECT_EQ(member(base, "number")["value"], 7);
  EXPECT_EQ(account["members"][1]["name"], "owner") << "an empty base class and a static member are not shown";
  EXPECT_EQ(member(account, "owner")["type"], "char[16]");
  EXPECT_EQ(value("owner"), "al\"ice\n");
  EXPECT_EQ(value("balance"), 0x1122334455667788);
  EXPECT_EQ(value("is_open"), true);
  EXPECT_EQ(member(account, "kind")["enumerator"], "savings");
  EXPECT_EQ(value("unknown"), 3);
  EXPECT_FALSE(member(account, "unknown").contains("enumerator"));
  EXPECT_EQ(member(account, "letter")["character"], "x");
  EXPECT_EQ(member(account, "currency")["enumerator"], "euro");
  EXPECT_EQ(value("currency"), -1);
  EXPECT_EQ(value("low"), 5);
  EXPECT_EQ(member(account, "low")["bits"], 3);
  EXPECT_EQ(value("high"), -3);
  EXPECT_EQ(member(account, "in_bits")["enumerator"], "euro");
  EXPECT_EQ(value("rate"), 0.1);
  EXPECT_EQ(value("limit"), -2.5);
  EXPECT_EQ(value("exact"), 0.25);
  for (const Json& either : account["members"])
    if (either["type"].get<std::string>().ends_with("(unnamed union)")) {
      EXPECT_EQ(member(either, "word")["value"], 0x01020304);
      EXPECT_EQ(member(either, "octets")["elements"], Json({4, 3, 2, 1}));
    }
  EXPECT_EQ(member(account, "days")["type"], "std::array<short, 3>");
  EXPECT_EQ(member(account, "days")["members"][0]["elements"], Json({1, -2, 3}));
  EXPECT_EQ(member(account, "shares")["type"], "bank::Shares<long>");
  EXPECT_EQ(member(member(account, "shares"), "parts")["elements"], Json({4, 5}));
  EXPECT_EQ(member(account, "grid")["elements"][1]["elements"], Json({4, 5, 6}));
  EXPECT_EQ(member(member(account, "entities")["elements"][1], "number")["value"], 7);
  EXPECT_EQ(member(account, "many")["elements"].size(), 200u);
  EXPECT_EQ(member(account, "many")["left_out"], 100);
  EXPECT_TRUE(member(account, "outside").contains("outside"));
}

TEST_F(TypedDumpTest, ShowsMembersOfEveryKind) {
  make_accounts();
  const Json first = ask("first");
  EXPECT_EQ(first["type"], "bank::Account");
  EXPECT_TRUE(first["objects"].empty());
  expect_account(first);
}

TEST_F(TypedDumpTest, ShowsWhereInThePoolPointersLead) {
  make_accounts();
  const Json first = ask("first");
  EXPECT_EQ(member(first, "next")["type"], "bank::Account *");
  EXPECT_TRUE(member(first, "next").contains("offset"));
  EXPECT_FALSE(member(first, "next").contains("root"));
  EXPECT_EQ(member(first, "other")["root"], "second");
  EXPECT_EQ(member(first, "other")["offset"], ask("second")["offset"]);
  EXPECT_EQ(member(first, "self")["type"], "bank::Entity &");
  EXPECT_EQ(member(first, "self")["root"], "first");
  EXPECT_EQ(member(first, "label")["text"], "gold");
  EXPECT_EQ(member(ask("second"), "other")["value"], nullptr);
}

TEST_F(TypedDumpTest, FollowsPointersToEachObjectOnce) {
  make_accounts();
  const auto types_at = [&](const std::string& depth) {
    std::vector<std::string> types;
    const Json first = ask("first --depth " + depth);
    for (const Json& object : first["objects"])
      types.push_back(object["type"].get<std::string>() + object.value("root", ""));
    return types;
  };
  // In the order of the members; of an object that has been shown, its base class by way of `self`.
  const std::vector<std::string> one = {"bank::Account", "bank::Accountsecond", "bank::Entityfirst"};
  EXPECT_EQ(types_at("1"), one);
  EXPECT_EQ(types_at("1000000").size(), 5u) << "a circle";
  expect_account(ask("first --depth 1")["objects"][0]);
}

TEST_F(TypedDumpTest, IsReadByPeople) {
  make_accounts();
  const std::string text = dump("first --elements 2 --depth 1").output;
  for (const char* const line :
       {"bank::Account first = {\n  bank::Entity = {\n    uint32_t number = 7\n  }\n", "  char[16] owner = \"al\"",
        "  bank::Kind kind = savings\n", "  bank::Kind unknown = 3\n", "  char letter = 120 'x'\n",
        "  bool is_open = true\n", "  int high : 5 = -3\n", "    uint8_t[4] octets = {4, 3, ... 2 more}\n",
        "  int[2][3] grid = {{1, 2, ... 1 more}, {4, 5, ... 1 more}}\n", " (root \"second\")\n",
        "(outside of the pool)\n", " \"go\"\n", "\noffset 0x"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  EXPECT_NE(dump("first --elements 0").output.find("owner = \"al\\\"ice\\x0a\"\n"), std::string::npos);
  EXPECT_NE(dump("second").output.find("other = null\n"), std::string::npos);
}

TEST_F(TypedDumpTest, KnowsTypesByTheNamesThatRootsGiveThem) {
  EXPECT_EQ(ask_for<unsigned long>()["value"], 0);
  EXPECT_EQ(ask_for<Account*>()["value"], nullptr);
  EXPECT_EQ(ask_for<const char*>()["value"], nullptr);
  EXPECT_EQ(ask_for<bank::Kind>()["value"], 0);
  EXPECT_EQ(member(ask_for<Hidden>(), "value")["value"], 12);
  EXPECT_EQ(member(ask_for<bank::Shares<int>>(), "parts")["elements"], Json({0, 0}));
  EXPECT_EQ(member(ask_for<bank::Shares<bank::Shares<long, 1>, 3, false>>(), "parts")["elements"].size(), 3u);
  using Tagged = bank::Tagged<bank::Kind::checking, 'c', const char*, std::array<int, 2>>;
  EXPECT_EQ(member(ask_for<Tagged>(), "tag")["value"], 1);
  EXPECT_EQ(member(ask_for<bank::Tagged<bank::Kind::savings, '\n'>>(), "tag")["value"], 1);
  EXPECT_TRUE(ask_for<std::vector<Account>>().contains("members"));
  EXPECT_TRUE((ask_for<std::map<long, std::vector<Account*>>>().contains("members")));
  EXPECT_TRUE(ask_for<std::optional<bank::Kind>>().contains("members"));
  // The name is cut in the pool.
  using Four = bank::Tagged<bank::Kind::savings, 'a', Account, Account, Account, Account>;
  using Long = bank::Tagged<bank::Kind::savings, 'b', Four, Four, Four>;
  EXPECT_TRUE(ask_for<Four>().contains("members"));
  ASSERT_GT(roots::type_name<Long>().size(), roots::max_type_name_length);
  EXPECT_TRUE(ask_for<Long>().contains("members"));
}

TEST_F(TypedDumpTest, ReadsDebugInformationOfEveryForm) {
  make_accounts();
  using Shares = bank::Shares<bank::Shares<long, 1>, 3>;
  make<Shares>("shares");
  for (const char* const form : {"dwarf4", "split", "split4", "compressed", "units"}) {
    SCOPED_TRACE(form);
    const Json first = ask("first", program_in_form(form));
    if (first.contains("members")) expect_account(first);
    EXPECT_TRUE(ask("shares", program_in_form(form)).contains("members"));
  }
}

TEST_F(TypedDumpTest, KnowsTypesOfProgramsInC) {
  perdure_pool* pool = nullptr;
  journal* written = nullptr;
  journal_t* other = nullptr;
  ASSERT_EQ(perdure_pool_open(path().c_str(), &pool), 0);
  ASSERT_EQ(perdure_root(pool, "tagged", struct journal, &written), 0);
  ASSERT_EQ(perdure_root(pool, "named", journal_t, &other), 0);
  ASSERT_EQ(perdure_pool_close(pool), 0);
  for (const char* const root : {"tagged", "named"}) {
    const Json dumped = ask(root, program_in_form("c"));
    EXPECT_EQ(member(dumped, "state")["enumerator"], "empty");
    EXPECT_EQ(member(member(dumped, "range"), "first")["value"], 0);
  }
}

TEST_F(TypedDumpTest, SaysWhatIsMissing) {
  make_accounts();
  expect_failure(program_in_form("none"), "first", "with -g");
  expect_failure(program_in_form("lines"), "first", "instead of -g1");
  expect_failure("/nowhere/bank", "first", "/nowhere/bank");
  expect_failure(path(), "first", path());
  expect_failure(this_program, "third", "no root 'third'");
  const std::string moved = in_directory("moved.so");
  std::string bytes = testing::read_all(program_in_form("split"));
  for (std::size_t at = 0; (at = bytes.find(".dwo", at)) != std::string::npos;) bytes[at + 3] = 'x';
  testing::write_all(moved, bytes);
  expect_failure(moved, "first", ".dwx', which is not there");
  EXPECT_EQ(testing::run_tool("dump --root first --depth 1 '" + path().string() + "'").status, 2) << "of no program";
}

TEST_F(TypedDumpTest, RefusesOtherTypesOfTheName) {
  perdure_pool* pool = nullptr;
  void* made = nullptr;
  ASSERT_EQ(perdure_pool_open(path().c_str(), &pool), 0);
  ASSERT_EQ(perdure_pool_root(pool, "larger", "bank::Account", 4096, 8, &made), 0);
  ASSERT_EQ(perdure_pool_root(pool, "unknown", "bank::Accounts", 8, 8, &made), 0);
  ASSERT_EQ(perdure_pool_root(pool, "elsewhere", "shop::Account", 8, 8, &made), 0);
  ASSERT_EQ(perdure_pool_close(pool), 0);
  expect_failure(this_program, "larger", "'bank::Account' (size 4096, alignment 8)");
  expect_failure(this_program, "larger", "'bank::Account' (size " + std::to_string(sizeof(Account)));
  expect_failure(this_program, "unknown", "none of that name");
  expect_failure(this_program, "elsewhere", "it has 'bank::Account'");
}

}  // namespace
}  // namespace perdure
