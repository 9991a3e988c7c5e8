// Standard containers, unmodified, in a pool: each operation in a transaction that first aborts once, compared with
// the same operations on ordinary containers.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <list>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "perdure/perdure.h"
#include "persist/sanitizers.h"
#include "tx/abort.h"

namespace perdure {
namespace {

/// Rolls the transaction back and runs it again, the first time it is reached after `arm`. Pure: it is a matter between
/// the test and the runtime.
thread_local bool is_armed = false;
PERDURE_PURE void abort_once() {
  if (!is_armed) return;
  is_armed = false;
  tx::abort(tx::CommitResult::validation);
}

template <class Body>
void transact(Body&& body) {
  is_armed = true;
  TM_BEGIN {
    body();
    abort_once();
  } TM_END;
}

template <class T>
class PoolOf {
 public:
  PoolOf()
      : path_(std::filesystem::temp_directory_path() / ("perdure_containers_" + std::to_string(getpid()) + ".pool")),
        pool_(Pool::open(path_, {.accept_volatile = true})) {}
  ~PoolOf() {
    pool_.close();
    std::filesystem::remove(path_);
  }

  T& root() { return pool_.root<T>("container"); }

  std::uintmax_t file_bytes() const { return std::filesystem::file_size(path_); }

  /// Closes and opens again; with a library that is not durable there is nothing to come back to.
  void reopen() {
    if (!library_is_durable()) return;
    pool_.close();
    pool_ = Pool::open(path_);
  }

 private:
  std::filesystem::path path_;
  Pool pool_;
};

constexpr int operations = 3000;

/// A red-black tree is balanced: a wrong rotation or colour shows as a path that is too long, or as a search that
/// fails.
template <class Tree>
void expect_same(const Tree& tree, const Tree& expected) {
  ASSERT_EQ(tree.size(), expected.size());
  EXPECT_TRUE(std::equal(tree.begin(), tree.end(), expected.begin()));
  EXPECT_TRUE(std::equal(tree.rbegin(), tree.rend(), expected.rbegin()));
}

/// \returns the number of black nodes on every path, or nothing when it differs or a red node has a red parent.
std::optional<int> black_height(const std::_Rb_tree_node_base* node) {
  if (node == nullptr) return 1;
  const auto left = black_height(node->_M_left);
  const auto right = black_height(node->_M_right);
  if (!left || !right || *left != *right) return std::nullopt;
  const bool is_red = node->_M_color == std::_S_red;
  if (is_red && node->_M_parent->_M_color == std::_S_red && node->_M_parent->_M_parent != node) return std::nullopt;
  return *left + (is_red ? 0 : 1);
}

TEST(Containers, SetIsABalancedTreeAfterRandomInsertionsAndRemovals) {
  PoolOf<std::set<long>> pool;
  std::set<long> expected;
  std::mt19937_64 random(1);
  for (int i = 0; i < operations; ++i) {
    const long key = static_cast<long>(random() % 500);
    const bool inserts = random() % 5 < (i < operations / 2 ? 4U : 1U);
    auto& set = pool.root();
    transact([&] { inserts ? static_cast<void>(set.insert(key)) : static_cast<void>(set.erase(key)); });
    inserts ? static_cast<void>(expected.insert(key)) : static_cast<void>(expected.erase(key));
    if (i % 500 == 499) pool.reopen();
    if (i % 50 == 0) ASSERT_TRUE(black_height(pool.root().end()._M_node->_M_parent)) << "after operation " << i;
  }
  expect_same(pool.root(), expected);
}

TEST(Containers, MapFromStringsToStrings) {
  using Map = std::map<std::string, std::string>;
  PoolOf<Map> pool;
  Map expected;
  std::mt19937_64 random(2);
  for (int i = 0; i < operations; ++i) {
    const std::string key = "key " + std::to_string(random() % 300) + std::string(random() % 40, 'k');
    const std::string value(random() % 100, static_cast<char>('a' + i % 26));
    auto& map = pool.root();
    if (random() % 3 == 0) {
      transact([&] { map.erase(key); });
      expected.erase(key);
    } else {
      transact([&] { map[key] = value; });
      expected[key] = value;
    }
  }
  pool.reopen();
  expect_same(pool.root(), expected);
}

TEST(Containers, UnorderedMapFindsInsideAndOutsideOfTransactions) {
  using Map = std::unordered_map<std::string, long>;
  PoolOf<Map> pool;
  Map expected;
  std::mt19937_64 random(3);
  for (int i = 0; i < operations; ++i) {
    const std::string key(random() % 30, static_cast<char>('a' + random() % 26));
    auto& map = pool.root();
    transact([&] { map[key] += i; });
    expected[key] += i;
    // The hash computed here, by libstdc++ itself, must be the one computed in the transaction.
    ASSERT_NE(map.find(key), map.end()) << key;
  }
  pool.reopen();
  EXPECT_EQ(pool.root(), expected);
  EXPECT_LE(pool.root().load_factor(), pool.root().max_load_factor());
}

TEST(Containers, ListSplicesReversesAndSorts) {
  struct Lists {
    std::list<int> first, second;
  };
  PoolOf<Lists> pool;
  std::list<int> first, second;
  std::mt19937 random(4);
  for (int i = 0; i < 500; ++i) {
    auto& lists = pool.root();
    const int value = static_cast<int>(random() % 1000);
    const auto change = [value, choice = random() % 6](std::list<int>& a, std::list<int>& b) {
      switch (choice) {
        case 0:
          return a.push_front(value);
        case 1:
          return b.push_back(value);
        case 2:
          return a.splice(a.begin(), b);
        case 3:
          return a.reverse();
        case 4:
          return a.swap(b);
        default:
          return static_cast<void>(a.remove_if([value](int element) { return element < value / 2; }));
      }
    };
    transact([&] { change(lists.first, lists.second); });
    change(first, second);
    ASSERT_EQ(lists.first, first);
    ASSERT_EQ(lists.second, second);
  }
}

TEST(Containers, VectorGrowsAndShrinks) {
  PoolOf<std::vector<std::string>> pool;
  std::vector<std::string> expected;
  std::mt19937 random(5);
  for (int i = 0; i < operations; ++i) {
    auto& vector = pool.root();
    const std::string value(random() % 60, 'v');
    const auto change = [&value, choice = random() % 8](std::vector<std::string>& to) {
      if (choice == 0 && !to.empty()) return to.erase(to.begin()), void();
      if (choice == 1) return to.insert(to.begin() + static_cast<long>(to.size() / 2), value), void();
      if (choice == 2 && !to.empty()) return to.back().append(value), void();
      if (choice == 3) return to.shrink_to_fit();
      to.push_back(value);
    };
    transact([&] { change(vector); });
    change(expected);
    ASSERT_EQ(vector.size(), expected.size());
  }
  pool.reopen();
  EXPECT_EQ(pool.root(), expected);
}

TEST(Containers, ExceptionInTheMiddleUndoesEverything) {
  using Map = std::map<std::string, std::vector<int>>;
  PoolOf<Map> pool;
  auto& map = pool.root();
  transact([&] { map["kept"].assign({1, 2, 3}); });
  EXPECT_THROW(
      {
        TM_BEGIN {
          map["kept"].push_back(4);
          map["new"].push_back(1);
          map.at("missing").clear();
        } TM_END;
      },
      std::out_of_range);
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(map["kept"], (std::vector<int>{1, 2, 3}));
}

TEST(Containers, ExceptionArrivesWithATextFromThePool) {
  using Map = std::map<std::string, std::string>;
  PoolOf<Map> pool;
  Map& map = pool.root();
  const std::string reason = "there is no such account, whatever the number of letters in its name may be";
  transact([&] { map["reason"] = reason; });
  try {
    transact([&] {
      map["reason"] += ", and this is undone";
      throw std::runtime_error(map["reason"]);
    });
    FAIL() << "the exception did not arrive";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), reason + ", and this is undone");
  }
  EXPECT_EQ(map["reason"], reason);
}

TEST(Containers, ValuesThatLeaveATransactionMayBeDestroyedOutside) {
#ifdef PERDURE_THREAD_SANITIZER
  GTEST_SKIP() << "ThreadSanitizer's operator delete cannot be replaced";
#endif
  using Map = std::map<int, std::string>;
  PoolOf<Map> pool;
  Map& map = pool.root();
  const std::string text(1000, 't');
  transact([&] { map[1] = text; });
  for (int i = 0; i < 20'000; ++i) {
    std::string copy = execute([&] { return map[1]; });  // allocated from the pool, deleted here
    ASSERT_EQ(copy, text);
    copy += text;  // reallocated here
    ASSERT_EQ(copy.size(), 2 * text.size());
  }
  if (library_is_durable()) EXPECT_LT(pool.file_bytes(), 4U << 20) << "the pool's memory must come back";
}

TEST(Containers, ThreadsShareAMap) {
  using Map = std::map<int, int>;
  PoolOf<Map> pool;
  Map& map = pool.root();
  constexpr int threads = 4;
  constexpr int rounds = 1000;
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread)
    running.emplace_back([&map, thread] {
      std::mt19937 random(static_cast<unsigned>(thread));
      for (int i = 0; i < rounds; ++i) {
        const int key = static_cast<int>(random() % 64);
        TM_BEGIN {
          ++map[key];
          if (key % 8 == 0) {
            const int count = map[key];
            map.erase(key);
            map[-1] += count;
          }
        } TM_END;
      }
    });
  for (std::thread& thread : running) thread.join();
  int sum = 0;
  for (const auto& [key, count] : map) sum += count;
  EXPECT_EQ(sum, threads * rounds);
  EXPECT_TRUE(black_height(map.end()._M_node->_M_parent));
}

}  // namespace
}  // namespace perdure
