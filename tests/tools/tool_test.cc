// The program `perdure` on clean, crashed, damaged and foreign files.
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "abi/entry_points.h"
#include "htm/offer.h"
#include "layouts.h"
#include "perdure/attributes.h"
#include "perdure/pool.h"
#include "pool/header.h"
#include "pool_test.h"
#include "tool.h"

namespace perdure {
namespace {

using Json = nlohmann::json;

struct Account {
  char owner[16] = "alice";
  std::uint64_t balance = 0x1122334455667788;
  Account* next = nullptr;
};

PERDURE_PURE void crash() { raise(SIGKILL); }

using testing::Outcome;

class ToolTest : public testing::PoolTest {
 protected:
  void make_clean() const {
    Pool pool = Pool::open(path());
    Account& first = pool.root<Account>("first");
    pool.root<std::uint64_t>("second");
    TM_BEGIN {
      for (int i = 0; i < 10; ++i) {
        auto* const added = new Account;
        added->next = first.next;
        first.next = added;
      }
    } TM_END;
  }

  void make_crashed() const {
    make_clean();
    const int status = testing::in_child([&] {
      Pool pool = Pool::open(path());
      Account& first = pool.root<Account>("first");
      TM_BEGIN { first.balance = 1; } TM_END;
      // Freed by nobody, and led to by nothing.
      TM_BEGIN {
        new Account;
        crash();
      } TM_END;
    });
    ASSERT_TRUE(WIFSIGNALED(status));
  }

  Outcome on_file(const std::string& command, const std::string& options = "") const {
    return testing::run_tool(command + " '" + path().string() + "' " + options);
  }

  /// What a command says as JSON; it must succeed, with this exit status, and leave the file as it is.
  Json ask(const std::string& command, const std::string& options = "", int status = 0) const {
    const std::string before = testing::read_all(path());
    const auto time = std::filesystem::last_write_time(path());
    const Outcome outcome = on_file(command, "--json " + options);
    EXPECT_EQ(outcome.status, status) << outcome.output;
    EXPECT_EQ(testing::read_all(path()), before);
    EXPECT_EQ(std::filesystem::last_write_time(path()), time);
    return Json::parse(outcome.output);
  }

  void expect_damage(const std::string& part) const {
    const Json checked = ask("check", "", 1);
    ASSERT_EQ(checked["damage"].size(), 1u);
    EXPECT_NE(checked["damage"][0].get<std::string>().find(part), std::string::npos) << checked;
    EXPECT_NE(on_file("check").output.find(part), std::string::npos);
  }

  void expect_failure(const std::string& command, const std::string& part) const {
    const Outcome outcome = on_file(command);
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_NE(outcome.output.find(path().string()), std::string::npos) << outcome.output;
    EXPECT_NE(outcome.output.find(part), std::string::npos) << outcome.output;
  }
};

TEST_F(ToolTest, DescribesACleanPool) {
  make_clean();
  const Json info = ask("info");
  EXPECT_EQ(info["state"], "clean");
  EXPECT_EQ(info["created_by"], "orec_lazy_fast");
  EXPECT_EQ(info["size_bytes"], 1 << 20);
  EXPECT_EQ(info["uuid"].get<std::string>().size(), 36u);
  EXPECT_EQ(info["header_copies_agree"], true);
  EXPECT_EQ(info["hardware_transactions"], htm::name_of(htm::offer()));
  const Json checked = ask("check");
  EXPECT_EQ(checked["state"], "clean");
  EXPECT_TRUE(checked["damage"].empty());
  EXPECT_EQ(checked["unreachable_blocks"], 0);
  EXPECT_NE(on_file("check").output.find("damage: none"), std::string::npos);
}

TEST_F(ToolTest, ListsRoots) {
  make_clean();
  const Json roots = ask("roots")["roots"];
  ASSERT_EQ(roots.size(), 2u);
  EXPECT_EQ(roots[0]["name"], "first");
  EXPECT_EQ(roots[0]["type"], roots::type_name<Account>());
  EXPECT_EQ(roots[0]["size_bytes"], sizeof(Account));
  EXPECT_EQ(roots[1]["name"], "second");
  EXPECT_EQ(roots[1]["alignment"], alignof(std::uint64_t));
  EXPECT_NE(on_file("roots").output.find("second"), std::string::npos);
}

TEST_F(ToolTest, CountsWhatTheSpaceIsUsedFor) {
  make_clean();
  const Json stats = ask("stats");
  EXPECT_EQ(stats["pool_bytes"], 1 << 20);
  ASSERT_EQ(stats["size_classes"].size(), 1u);
  const Json& used = stats["size_classes"][0];
  EXPECT_EQ(used["block_bytes"], 32);
  EXPECT_EQ(used["used_blocks"], 12);
  EXPECT_EQ(stats["used_bytes"], 12 * 32);
  EXPECT_EQ(stats["large_blocks"], 0);
  EXPECT_DOUBLE_EQ(stats["size_per_used_byte"], (1 << 20) / (12.0 * 32));
  EXPECT_NE(on_file("stats").output.find("1 MiB"), std::string::npos);
}

/// Of two words: a pointer, and one that may be one.
testing::Layout<2> two_words = {{0, 64, 0, 2, 0},
                                {testing::pointers(8, 1), {16, 1, alloc::LayoutWords::Kind::unsure, 0, 0, 0, 0}}};

PERDURE_PURE void tell_layout(bool has_pointers) {
  perdure_set_block_layout(has_pointers ? &two_words.head : &alloc::no_pointers);
}

/// \returns the address of the table of layouts in the file.
std::uint64_t make_with_layouts(const std::filesystem::path& path) {
  Pool pool = Pool::open(path);
  const std::size_t bytes = 70;  // in a variable: the compiler knows no type
  TM_BEGIN {
    for (int i = 0; i < 5; ++i) {
      tell_layout(true);
      void* const block = ::operator new(bytes);
      tell_layout(false);
      static_cast<void**>(block)[1] = ::operator new(1000 * bytes);
    }
  } TM_END;
  const alloc::Superblocks& superblocks = alloc::current_heap()->superblocks();
  std::uint64_t number = pool::first_superblock + 1;  // behind the descriptors
  while (superblocks.use(number) != alloc::Use::metadata) ++number;
  return number * pool::superblock_bytes;
}

TEST_F(ToolTest, TellsWhatBlocksHold) {
  make_with_layouts(path());
  const Json stats = ask("stats");
  ASSERT_EQ(stats["layouts"].size(), 2u);
  const Json& none = stats["layouts"][0];
  EXPECT_EQ(none["layout"], "no pointers");
  EXPECT_EQ(none["blocks"], 5);
  EXPECT_EQ(none["used_bytes"], 10 * 65536);
  const Json& words = stats["layouts"][1];
  EXPECT_EQ(words["layout"], "2");
  EXPECT_EQ(words["blocks"], 5);
  EXPECT_EQ(words["used_bytes"], 5 * 96);
  EXPECT_EQ(words["element_bytes"], 64);
  EXPECT_EQ(words["pointers"], 1);
  EXPECT_EQ(words["unsure_words"], 1);
  EXPECT_NE(on_file("stats").output.find("no pointers       5"), std::string::npos) << on_file("stats").output;
}

TEST_F(ToolTest, NamesADamagedLayout) {
  const std::uint64_t table = make_with_layouts(path());
  EXPECT_TRUE(ask("check")["damage"].empty());
  testing::flip_byte(path(), table + 20);
  expect_damage("layout 2");
}

TEST_F(ToolTest, DumpsARoot) {
  make_clean();
  const Json dumped = ask("dump", "--root first");
  const std::string bytes = dumped["bytes"];
  EXPECT_EQ(bytes.size(), 2 * sizeof(Account));
  EXPECT_EQ(bytes.substr(32, 16), "8877665544332211");
  const Outcome lines = on_file("dump", "--root first");
  EXPECT_EQ(lines.status, 0);
  EXPECT_NE(lines.output.find(" 61 6c 69 63 65 00 00 00 00 00 00 00 00 00 00 00  alice..........."), std::string::npos)
      << lines.output;
  EXPECT_EQ(on_file("dump", "--root third").status, 2);
  EXPECT_NE(on_file("dump", "--root third").output.find("no root 'third'"), std::string::npos);
}

TEST_F(ToolTest, LeavesACrashedPoolToBeRecovered) {
  make_crashed();
  EXPECT_EQ(ask("info")["state"], "crashed");
  const Json checked = ask("check");
  EXPECT_EQ(checked["state"], "crashed");
  EXPECT_TRUE(checked["damage"].empty());
  EXPECT_EQ(ask("dump", "--root first")["bytes"].get<std::string>().substr(32, 16), "0100000000000000");
  EXPECT_EQ(ask("stats")["state"], "crashed");
  EXPECT_EQ(ask("roots")["roots"].size(), 2u);

  const Outcome recovered = on_file("recover", "--json");
  EXPECT_EQ(recovered.status, 0);
  EXPECT_EQ(Json::parse(recovered.output)["recovered"], true);
  EXPECT_EQ(ask("check")["state"], "clean");
  EXPECT_EQ(Json::parse(on_file("recover", "--json").output)["recovered"], false);
}

TEST_F(ToolTest, CountsBlocksThatNothingLeadsTo) {
  make_clean();
  {
    Pool pool = Pool::open(path());
    Account& first = pool.root<Account>("first");
    TM_BEGIN { first.next = nullptr; } TM_END;
  }
  const Json checked = ask("check");
  EXPECT_EQ(checked["unreachable_blocks"], 10);
  EXPECT_EQ(checked["unreachable_bytes"], 320);
}

TEST_F(ToolTest, NamesWhatIsDamaged) {
  make_clean();
  const std::string whole = testing::read_all(path());
  const auto damaged_at = [&](std::uint64_t offset) {
    testing::write_all(path(), whole);
    testing::flip_byte(path(), offset);
  };
  damaged_at(pool::page_bytes + 100);
  expect_damage("copy 1 of the header is damaged");
  testing::flip_byte(path(), 100);
  expect_damage("both copies of the header are damaged");
  damaged_at(pool::directory_offset);
  expect_damage("entry 0 of the directory is damaged");
  damaged_at(pool::first_superblock * pool::superblock_bytes + 8 * 5);
  expect_damage("the descriptor of superblock 5 is damaged");
  damaged_at(pool::root_table_offset);
  expect_damage("root number 0 is damaged");
  expect_failure("roots", "root number 0 is damaged");
  expect_failure("recover", "root number 0 is damaged");
  pool::Header header;
  std::memcpy(&header, whole.data(), sizeof header);
  damaged_at(header.snapshot * pool::superblock_bytes + 9);
  expect_damage("the list of free blocks is damaged");
  testing::write_all(path(), whole.substr(0, 300'000));
  expect_damage("truncated");
  expect_failure("stats", "truncated");
}

TEST_F(ToolTest, TellsWhatIsNoPool) {
  testing::write_all(path(), "To be, or not to be");
  expect_damage("not a Perdure pool");
  for (const char* const command :
       {"info", "roots", "stats", "recover", "grow --size 2M", "trim", "compact", "dump --root x"})
    expect_failure(command, "not a Perdure pool");
}

TEST_F(ToolTest, CreatesNothing) {
  for (const char* const command :
       {"info", "check", "roots", "stats", "recover", "grow --size 2M", "trim", "compact", "dump --root x"})
    expect_failure(command, "");
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
}

TEST_F(ToolTest, LooksAtTheHeaderOnlyOfAPoolInUse) {
  make_clean();
  const testing::Pipe is_open;
  const testing::Pipe may_end;
  const pid_t user = fork();
  if (user == 0) {
    const Pool pool = Pool::open(path());
    is_open.signal();
    may_end.wait();
    _exit(0);
  }
  is_open.wait();
  EXPECT_EQ(ask("info")["state"], "in use");
  for (const char* const command : {"check", "roots", "stats", "recover", "grow --size 2M", "trim", "compact"})
    expect_failure(command, "in use by another");
  may_end.signal();
  waitpid(user, nullptr, 0);
}

TEST_F(ToolTest, GrowsAndTrims) {
  make_clean();
  const auto change = [&](const std::string& command) {
    const Outcome outcome = on_file(command, "--json");
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    return Json::parse(outcome.output);
  };
  const Json grown = change("grow --size 20M");
  EXPECT_EQ(grown["size_before_bytes"], 1 << 20);
  EXPECT_EQ(grown["size_bytes"], 20 << 20);
  EXPECT_GE(grown["disk_bytes"], 20 << 20);
  EXPECT_EQ(ask("stats")["kept_bytes"], 20 << 20);
  // A program that uses the pool leaves what was reserved.
  {
    Pool pool = Pool::open(path());
    EXPECT_EQ(pool.report().state, OpenReport::State::clean);
    Account& first = pool.root<Account>("first");
    TM_BEGIN { first.balance = 2; } TM_END;
    void* const large = execute([] { return std::malloc(12 << 20); });
    TM_BEGIN { std::free(large); } TM_END;
  }
  EXPECT_EQ(ask("info")["size_bytes"], 20 << 20);
  const Json trimmed = change("trim");
  EXPECT_EQ(trimmed["size_before_bytes"], 20 << 20);
  EXPECT_LT(trimmed["size_bytes"], 1 << 20);
  EXPECT_LT(trimmed["disk_bytes"], 1 << 20);
  EXPECT_EQ(ask("stats")["kept_bytes"], 0);
  EXPECT_EQ(ask("check")["state"], "clean");
  EXPECT_TRUE(ask("check")["damage"].empty());
  EXPECT_EQ(change("trim")["size_bytes"], trimmed["size_bytes"]) << "twice gives the same";
  Pool pool = Pool::open(path());
  EXPECT_EQ(pool.root<Account>("first").balance, 2u);
}

TEST_F(ToolTest, MovesAPool) {
  make_crashed();
  const std::string before = ask("info")["address"];
  Outcome outcome = on_file("relocate", "--json");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  Json moved = Json::parse(outcome.output);
  EXPECT_EQ(moved["address_before"], before);
  EXPECT_EQ(moved["address"], ask("info")["address"]);
  EXPECT_NE(moved["address"], before);
  EXPECT_EQ(moved["pointers_moved"], 12) << "two roots, ten links";
  EXPECT_TRUE(ask("check")["damage"].empty());
  // Back again.
  outcome = on_file("relocate", "--json --to " + before);
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  EXPECT_EQ(ask("info")["address"], before);
  expect_failure("relocate --to 0x1234", "no pool can live at address 0x1234");
  EXPECT_EQ(on_file("relocate", "--unsure perhaps").status, 2);
  Pool pool = Pool::open(path());
  int links = 0;
  for (const Account* link = pool.root<Account>("first").next; link != nullptr; link = link->next, ++links)
    EXPECT_EQ(link->balance, Account().balance);
  EXPECT_EQ(links, 10);
}

TEST_F(ToolTest, AsksWhatAWordIs) {
  make_clean();
  {
    Pool pool = Pool::open(path());
    Account& first = pool.root<Account>("first");
    TM_BEGIN { first.balance = reinterpret_cast<std::uintptr_t>(first.next); } TM_END;
  }
  expect_failure("relocate", "--unsure move, or --unsure keep");
  EXPECT_EQ(on_file("relocate --unsure move").status, 0);
  Pool pool = Pool::open(path());
  const Account& first = pool.root<Account>("first");
  EXPECT_EQ(first.balance, reinterpret_cast<std::uintptr_t>(first.next));
}

TEST_F(ToolTest, Compacts) {
  constexpr int count = 40'000;
  {
    Pool pool = Pool::open(path());
    Account& first = pool.root<Account>("first");
    TM_BEGIN {
      for (int i = 0; i < count; ++i) {
        auto* const added = new Account;
        added->balance = static_cast<std::uint64_t>(i);
        added->next = first.next;
        first.next = added;
      }
    } TM_END;
    TM_BEGIN {
      for (Account** place = &first.next; *place != nullptr;) {
        Account* const account = *place;
        if (account->balance % 8 == 0) {
          place = &account->next;
          continue;
        }
        *place = account->next;
        delete account;
      }
    } TM_END;
  }
  const Outcome outcome = on_file("compact", "--json");
  ASSERT_EQ(outcome.status, 0) << outcome.output;
  const Json compacted = Json::parse(outcome.output);
  EXPECT_GT(compacted["blocks_moved"], count / 8 / 2);
  EXPECT_GE(compacted["pointers_rewritten"], compacted["blocks_moved"]);
  EXPECT_EQ(compacted["blocks_pinned"], 0);
  EXPECT_GT(compacted["superblocks_freed"], 10);
  EXPECT_LT(compacted["size_bytes"], compacted["size_before_bytes"].get<std::uint64_t>() / 2);
  EXPECT_LT(compacted["disk_bytes"], compacted["disk_before_bytes"].get<std::uint64_t>() / 2);
  EXPECT_TRUE(ask("check")["damage"].empty());
  const Outcome again = on_file("compact");
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.output.find("superblocks freed"), std::string::npos) << again.output;
  Pool pool = Pool::open(path());
  std::uint64_t expected = count;
  for (const Account* account = pool.root<Account>("first").next; account != nullptr; account = account->next)
    ASSERT_EQ(account->balance, expected -= 8);
  EXPECT_EQ(expected, 0u);
}

TEST_F(ToolTest, RefusesToGrowBeyondWhatThereIs) {
  make_clean();
  expect_failure("grow --size 1T", "at most");
  EXPECT_EQ(on_file("grow").status, 2) << "a size must be given";
  EXPECT_EQ(on_file("grow --size much").status, 2);
  EXPECT_EQ(ask("info")["size_bytes"], 1 << 20);
}

TEST_F(ToolTest, ExplainsItself) {
  EXPECT_EQ(testing::run_tool("--help").status, 0);
  EXPECT_NE(testing::run_tool("--help").output.find("recover"), std::string::npos);
  EXPECT_EQ(testing::run_tool("--version").status, 0);
  for (const char* const arguments : {"", "unknown", "check", "dump file", "check --unknown file"})
    EXPECT_EQ(testing::run_tool(arguments).status, 2) << arguments;
}

}  // namespace
}  // namespace perdure
