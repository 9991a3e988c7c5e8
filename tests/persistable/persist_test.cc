// perdure::persist: what arrives in the pool, what is refused, and that it is one transaction.
#include "perdure/persist.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "../pool/pool_test.h"
#include "perdure/perdure.h"
#include "persist/sanitizers.h"
#include "pool/window.h"

namespace perdure {
namespace {

const std::string long_text = "a text that is too long to lie in the string itself";

struct Node {
  Node* next = nullptr;
  Node* friend_of = nullptr;
  long value = 0;
};

struct Shape {
  virtual ~Shape() = default;
  virtual long area() const = 0;
};
struct Square final : Shape {
  explicit Square(long given) : side(given) {}
  long area() const override { return side * side; }
  long side;
};
struct Named {
  virtual ~Named() = default;
  virtual std::string name() const { return text; }
  std::string text;
};
struct Rectangle final : Shape, Named {
  Rectangle(long given_width, long given_height) : width(given_width), height(given_height) {}
  long area() const override { return width * height; }
  std::string name() const override { return "rectangle " + text; }
  long width;
  long height;
};

long twice(long value) { return 2 * value; }
long thrice(long value) { return 3 * value; }

struct Directory {
  std::map<std::string, std::vector<long>> numbers;
  std::unordered_map<int, std::string> names;
  std::list<std::string> lines;
  std::deque<long> queue;
  std::set<long> set;
  std::shared_ptr<long> shared;
  std::shared_ptr<long> also_shared;
  std::unique_ptr<Shape> shape;
  std::vector<bool> flags;
};

void fill(Directory& directory) {
  for (long i = 0; i < 100; ++i) {
    directory.numbers[long_text + std::to_string(i)] = {i, i + 1, i + 2};
    directory.names[static_cast<int>(i)] = "number " + std::to_string(i);
    directory.lines.push_back(long_text + std::to_string(i));
    directory.queue.push_front(i);
    directory.set.insert(-i);
    directory.flags.push_back(i % 3 == 0);
  }
  directory.shared = std::make_shared<long>(7);
  directory.also_shared = directory.shared;
  directory.shape = std::make_unique<Square>(6);
}

void expect_filled(const Directory& directory) {
  ASSERT_EQ(directory.numbers.size(), 100U);
  long i = 0;
  EXPECT_EQ(directory.numbers.at(long_text + "42"), (std::vector<long>{42, 43, 44}));
  for (const std::string& line : directory.lines) EXPECT_EQ(line, long_text + std::to_string(i++));
  EXPECT_EQ(directory.names.at(99), "number 99");
  EXPECT_EQ(directory.queue.front(), 99);
  EXPECT_EQ(directory.queue.back(), 0);
  EXPECT_EQ(*directory.set.begin(), -99);
  EXPECT_EQ(*directory.shared, 7);
  EXPECT_EQ(directory.shared.get(), directory.also_shared.get());
  EXPECT_EQ(directory.shared.use_count(), 2);
  EXPECT_EQ(directory.shape->area(), 36);
  EXPECT_EQ(std::count(directory.flags.begin(), directory.flags.end(), true), 34);
}

class PersistTest : public testing::PoolTest {
 protected:
  void SetUp() override {
#ifdef PERDURE_THREAD_SANITIZER
    GTEST_SKIP() << "its operators delete cannot be replaced";
#endif
  }
  void reopen() {
    pool_.close();
    pool_ = Pool::open(path());
  }
  /// In the next run, where there is one that finds it.
  template <class T>
  const T& found(const char* name, const T& now) {
    if (!library_is_durable()) return now;
    reopen();
    return *pool_.find_root<T>(name);
  }
  template <class T>
  void expect_refused(const T& object, const std::string& part_of_message) {
    try {
      persist(pool_, "refused", object);
      ADD_FAILURE() << "was not refused";
    } catch (const PoolError& error) {
      EXPECT_EQ(error.kind(), PoolError::Kind::usage);
      EXPECT_NE(std::string(error.what()).find(part_of_message), std::string::npos) << error.what();
    }
    EXPECT_EQ(pool_.find_root<T>("refused"), nullptr);
  }

  Pool pool_ = Pool::open(path());
};

TEST_F(PersistTest, KeepsCyclesAndWhatIsShared) {
  auto* const first = new Node{nullptr, nullptr, 1};
  auto* const second = new Node{first, first, 2};
  first->next = second;
  first->friend_of = second;
  Node& copy = persist(pool_, "ring", *first);
  EXPECT_TRUE(pool::in_window(&copy));
  first->value = 100;
  delete second;
  delete first;
  const Node& ring = found("ring", copy);
  EXPECT_EQ(ring.value, 1);
  EXPECT_EQ(ring.next->value, 2);
  EXPECT_EQ(ring.next, ring.friend_of);
  EXPECT_EQ(ring.next->next, &ring);
  EXPECT_TRUE(pool::in_window(ring.next));
}

TEST_F(PersistTest, CopiesContainers) {
  Directory* copy = nullptr;
  {
    Directory directory;  // not made by new itself
    fill(directory);
    copy = &persist(pool_, "directory", directory);
    expect_filled(directory);
  }
  expect_filled(found("directory", *copy));
}

TEST_F(PersistTest, WhatArrivesIsChangedByTransactions) {
  {
    Directory directory;
    fill(directory);
    persist(pool_, "directory", directory);
  }
  Directory& there = *pool_.find_root<Directory>("directory");
  TM_BEGIN {
    there.numbers.erase(long_text + "1");
    there.numbers["new"].push_back(5);
    there.lines.pop_front();
    there.queue.push_back(1000);
    there.names.clear();
    there.names[1] = long_text;
    there.shared.reset();
    there.shape = std::make_unique<Square>(2);
  } TM_END;
  const Directory& later = found("directory", there);
  EXPECT_EQ(later.numbers.size(), 100U);
  EXPECT_EQ(later.numbers.at("new").at(0), 5);
  EXPECT_EQ(later.lines.size(), 99U);
  EXPECT_EQ(later.queue.back(), 1000);
  EXPECT_EQ(later.names.at(1), long_text);
  EXPECT_EQ(later.also_shared.use_count(), 1);
  EXPECT_EQ(later.shape->area(), 4);
  EXPECT_TRUE(pool_.remove_root<Directory>("directory"));
}

TEST_F(PersistTest, CopiesTheWholeObjectThatNewHasMade) {
  const std::unique_ptr<Shape> shape = std::make_unique<Rectangle>(3, 5);
  static_cast<Rectangle&>(*shape).text = long_text;
  Shape& copy = persist(pool_, "shape", *shape);
  const Shape& there = found("shape", copy);
  EXPECT_EQ(there.area(), 15);
  EXPECT_EQ(dynamic_cast<const Named&>(there).name(), "rectangle " + long_text);

  const std::unique_ptr<std::string[]> texts(new std::string[20]);
  for (int i = 0; i < 20; ++i) texts[static_cast<std::size_t>(i)] = long_text + std::to_string(i);
  struct Texts {
    std::string* begin;
    std::string* end;
  };
  const Texts all{texts.get(), texts.get() + 20};
  const Texts& texts_there = found("texts", persist(pool_, "texts", all));
  ASSERT_EQ(texts_there.end - texts_there.begin, 20);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(texts_there.begin[i], long_text + std::to_string(i));
}

TEST_F(PersistTest, PointersToFunctionsLeadToTheProgramsOfTheNextRun) {
  struct Table {
    std::vector<long (*)(long)> functions;
    std::function<long(long)> any;
  };
  Table table{{twice, thrice}, thrice};
  Table& copy = persist(pool_, "table", table);
  const Table& there = found("table", copy);
  const auto* const before = reinterpret_cast<const std::byte*>(there.functions.at(0)) - sizeof(std::uint64_t);
  EXPECT_NE(*reinterpret_cast<const std::uint32_t*>(before), 0xc105cafeU)
      << "that is how -fsanitize=function marks one";
  EXPECT_EQ(there.functions.at(0)(5), 10);
  EXPECT_EQ(there.functions.at(1)(5), 15);
  EXPECT_EQ(there.any(5), 15);
}

TEST_F(PersistTest, OverAlignedObjectsStaySo) {
  struct alignas(64) Line {
    Line* other = nullptr;
    long value = 0;
  };
  const auto line = std::make_unique<Line>();
  line->other = new (std::nothrow) Line{nullptr, 9};
  const Line& there = found("line", persist(pool_, "line", *line));
  delete line->other;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&there) % 64, 0U);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(there.other) % 64, 0U);
  EXPECT_EQ(there.other->value, 9);
}

TEST_F(PersistTest, ObjectsOfAnySizeLieAsNewPutsThem) {
  for (std::size_t bytes = 1; bytes < 600; ++bytes) {
    std::array<std::unique_ptr<std::byte[]>, 3> some;
    for (auto& each : some) {
      each.reset(new std::byte[bytes]);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(each.get()) % __STDCPP_DEFAULT_NEW_ALIGNMENT__, 0U) << bytes;
    }
  }
}

TEST_F(PersistTest, WhatIsInThePoolStaysWhereItIs) {
  Node& old = pool_.root<Node>("old");
  auto node = std::make_unique<Node>(Node{&old, nullptr, 5});
  EXPECT_EQ(persist(pool_, "new", *node).next, &old);

  Pool other = Pool::open(in_directory("other.pool"));
  node->next = &other.root<Node>("foreign");
  expect_refused(*node, "another pool");
}

TEST_F(PersistTest, ForgetsWhatWasDeleted) {
  std::vector<std::string> texts;
  for (int i = 0; i < 10; ++i) texts.push_back(long_text + std::to_string(i));
  texts.resize(5);
  struct Large : Node {
    std::array<long, 500> rest{};
  };
  auto node = std::make_unique<Node>();
  auto* const large = new Large;  // of a size that nothing else has, so that nothing else gets its place
  node->next = large;
  delete large;  // NOLINT(clang-analyzer-cplusplus.NewDelete)
  const auto& there = found("texts", persist(pool_, "texts", texts));
  ASSERT_EQ(there.size(), 5U);
  EXPECT_EQ(there[4], long_text + "4");
  EXPECT_EQ(persist(pool_, "node", *node).next, nullptr);
}

Node global_node;

TEST_F(PersistTest, RefusesWhatWouldBeLost) {
  auto node = std::make_unique<Node>();
  node->next = &global_node;
  expect_refused(*node, "global_node");
  Node local;
  node->next = &local;
  expect_refused(*node, "-fplugin-arg-perdure-persistable");
  node->next = static_cast<Node*>(std::malloc(sizeof(Node)));
  expect_refused(*node, "-fplugin-arg-perdure-persistable");
  std::free(node->next);
  static char variable[] = "variable";
  const std::vector<const char*> pointers = {variable};
  expect_refused(pointers, "a part of the program");

  const std::array<Node, 2>* const nodes = new std::array<Node, 2>;
  expect_refused((*nodes)[1], "part of another object");
  delete nodes;

  struct Numbers {
    std::uintptr_t word;
  };
  const Numbers numbers{reinterpret_cast<std::uintptr_t>(node.get())};
  expect_refused(numbers, "looks like one");
}

const char constant[] = "a constant";

TEST_F(PersistTest, KeepsWhatLeadsToConstants) {
  const std::vector<const char*>* copy = nullptr;
  {
    const std::vector<const char*> texts = {"a literal", constant, constant + 2};
    copy = &persist(pool_, "texts", texts);
  }
  const std::vector<const char*>& texts = found("texts", *copy);
  EXPECT_STREQ(texts[0], "a literal");
  EXPECT_STREQ(texts[1], "a constant");
  EXPECT_STREQ(texts[2], "constant");
  if (library_is_durable())
    for (const char* const text : texts) EXPECT_TRUE(pool::in_window(text));
}

TEST_F(PersistTest, ARootIsMadeOnce) {
  const long value = 5;
  persist(pool_, "value", value);
  try {
    persist(pool_, "value", value);
    ADD_FAILURE();
  } catch (const PoolError& error) {
    EXPECT_EQ(error.kind(), PoolError::Kind::root_exists);
  }
  EXPECT_THROW(persist(pool_, "", value), PoolError);
}

TEST_F(PersistTest, IsAPartOfTheTransactionAroundIt) {
  struct Head {
    Node* first = nullptr;
    long count = 0;
  };
  Head& head = pool_.root<Head>("head");
  const auto add = [&](long value, bool fails) {
    auto node = std::make_unique<Node>(Node{head.first, nullptr, value});
    const PoolScope scope(pool_);
    TM_BEGIN {
      head.first = persist(*node);
      ++head.count;
      if (fails) throw std::runtime_error("fails");
    } TM_END;
  };
  add(1, false);
  add(2, false);
  EXPECT_THROW(add(3, true), std::runtime_error);
  const Head& there = found("head", head);
  EXPECT_EQ(there.count, 2);
  EXPECT_EQ(there.first->value, 2);
  EXPECT_EQ(there.first->next->value, 1);
  EXPECT_EQ(there.first->next->next, nullptr);
}

TEST_F(PersistTest, ObjectsOfTransactionsWithoutAPoolCount) {
  pool_.close();
  auto* const node = new Node;
  TM_BEGIN { node->next = new Node{nullptr, node, 2}; } TM_END;
  EXPECT_THROW(persist(*node), PoolError);
  pool_ = Pool::open(path());
  EXPECT_EQ(persist(pool_, "node", *node).next->value, 2);
  TM_BEGIN {
    delete node->next;
    delete node;
  } TM_END;
}

/// As C code does whose blocks grow.
TEST_F(PersistTest, WhatIsMovedByReallocStaysAnObject) {
  pool_.close();
  auto* const list = new Node;
  TM_BEGIN { list->next = static_cast<Node*>(std::malloc(2 * sizeof(Node))); } TM_END;
  list->next[0] = {nullptr, list, 3};
  list->next = static_cast<Node*>(std::realloc(list->next, 20 * sizeof(Node)));
  ASSERT_NE(list->next, nullptr);
  EXPECT_EQ(list->next->value, 3);
  for (std::size_t i = 1; i < 20; ++i) list->next[i] = {nullptr, list, static_cast<long>(i)};
  pool_ = Pool::open(path());
  const Node& kept = persist(pool_, "list", *list);
  EXPECT_EQ(kept.next[0].value, 3);
  EXPECT_EQ(kept.next[19].value, 19);
  EXPECT_EQ(kept.next[19].friend_of, &kept);
  EXPECT_EQ(std::realloc(list->next, 0), nullptr);
  delete list;
}

TEST_F(PersistTest, SeesOneMoment) {
  static constexpr long sum = 1000;
  struct Pair {
    std::unique_ptr<long> one = std::make_unique<long>(sum);
    std::unique_ptr<long> other = std::make_unique<long>(0);
  };
  Pair pair;
  std::atomic<bool> stops{false};
  std::thread mover([&] {
    for (long amount = 1; !stops; amount = amount % 7 + 1) {
      TM_BEGIN {
        const long moved = *pair.one >= amount ? amount : -sum / 2;
        *pair.one -= moved;
        *pair.other += moved;
      } TM_END;
    }
  });
  const PoolScope scope(pool_);
  for (int i = 0; i < 200; ++i) {
    const Pair* copy = nullptr;
    TM_BEGIN { copy = persist(pair); } TM_END;
    ASSERT_EQ(*copy->one + *copy->other, sum);
  }
  stops = true;
  mover.join();
}

/// Of all sizes, made and deleted by several threads, each by another one than made it.
TEST_F(PersistTest, ObjectsOfManyThreads) {
  constexpr int threads = 4;
  std::array<std::vector<std::unique_ptr<std::vector<long>>>, threads> made;
  const auto make = [&](std::size_t number) {
    std::vector<std::unique_ptr<std::vector<long>>>& mine = made[number];
    for (std::size_t i = 0; i < 3000; ++i) {
      mine.push_back(std::make_unique<std::vector<long>>(i * i % 5000, static_cast<long>(i)));
      if (i % 3 == 0) mine[i / 2].reset();
    }
  };
  const auto take_apart = [&](std::size_t number) {
    std::vector<std::unique_ptr<std::vector<long>>>& others = made[(number + 1) % threads];
    for (std::size_t i = 0; i < others.size(); ++i)
      if (others[i] != nullptr)
        for (const long element : *others[i]) ASSERT_EQ(element, static_cast<long>(i));
    others.clear();
  };
  for (int round = 0; round < 2; ++round) {
    std::vector<std::thread> running;
    for (std::size_t i = 0; i < threads; ++i) running.emplace_back(make, i);
    for (std::thread& thread : running) thread.join();
    running.clear();
    for (std::size_t i = 0; i < threads; ++i) running.emplace_back(take_apart, i);
    for (std::thread& thread : running) thread.join();
  }
  const auto large = std::make_unique<std::vector<long>>(10'000'000, 3L);
  EXPECT_EQ(large->back(), 3);
}

TEST_F(PersistTest, AFullPoolKeepsNothingOfIt) {
  pool_.close();
  OpenOptions options;
  options.size_limit = 8 << 20;
  pool_ = Pool::open(path(), options);
  const std::vector<std::string> texts(200'000, long_text);
  EXPECT_THROW(persist(pool_, "texts", texts), std::bad_alloc);
  EXPECT_EQ(pool_.find_root<std::vector<std::string>>("texts"), nullptr);
  const std::vector<std::string> few(100, long_text);
  EXPECT_EQ(found("few", persist(pool_, "few", few)).at(99), long_text);
}

}  // namespace
}  // namespace perdure
