// Small workloads in a pool, of a few transactions each, for exploring_harness.cc: `small_victim <pool> <workload>`
// opens the pool, says how many transactions it holds, does those that are missing, and closes it halfway and at the
// end. `small_victim` alone says how many workloads there are.
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "perdure/perdure.h"
#include "perdure/pool.h"
#include "victim.h"

namespace perdure::outside {
namespace {

constexpr std::uint64_t steps = 6;

struct Root {
  std::uint64_t count = 0;
  std::uint64_t first = 1;
  std::uint64_t second = 2;
  std::array<std::uint64_t, 4096> wide{};
  std::list<std::uint64_t> list;
  std::vector<std::uint64_t> numbers;
  std::string text;
  std::map<std::uint64_t, std::string> texts;
  std::deque<std::uint64_t> queue;
  std::set<std::uint64_t> set;
  std::unique_ptr<std::array<char, 100'000>> large;
};

using Step = void (*)(Root&, std::uint64_t);

struct Refused {};

/// Each sets the count, by which the state is known.
constexpr Step workloads[] = {
    [](Root& root, std::uint64_t n) { root.first += n; },
    [](Root& root, std::uint64_t) { std::swap(root.first, root.second); },
    [](Root& root, std::uint64_t n) { root.wide.fill(n); },
    [](Root& root, std::uint64_t n) {
      for (std::size_t i = n; i < root.wide.size(); i += 512) root.wide[i] = n;
    },
    [](Root& root, std::uint64_t n) { root.list.push_front(n); },
    [](Root& root, std::uint64_t n) {
      if (n % 2 != 0)
        root.list.push_back(n);
      else
        root.list.clear();
    },
    [](Root& root, std::uint64_t n) {
      for (std::uint64_t i = 0; i < n * 30; ++i) root.numbers.push_back(n);
    },
    [](Root& root, std::uint64_t n) { root.text.append(n * 50, static_cast<char>('a' + n)); },
    [](Root& root, std::uint64_t n) {
      root.texts[n] = std::string(n * 9, 'm');
      root.texts.erase(n - 2);
    },
    [](Root& root, std::uint64_t n) {
      root.queue.push_back(n);
      if (n % 3 == 0) root.queue.pop_front();
    },
    [](Root& root, std::uint64_t n) {
      root.set.insert(n * 7 % 5);
      root.set.erase(n * 3 % 5);
    },
    [](Root& root, std::uint64_t n) {
      root.large = n % 3 == 0 ? nullptr : std::make_unique<std::array<char, 100'000>>();
      if (root.large) root.large->fill(static_cast<char>(n));
    },
    [](Root& root, std::uint64_t n) {
      root.texts[0] += "x";
      root.numbers.push_back(n);
      root.list.push_back(n);
      root.first = n;
    },
};
constexpr std::size_t workload_count = std::size(workloads);

void run(Root& root, std::uint64_t step, std::uint64_t number) {
  workloads[step](root, number);
  root.count = number;
}

bool are_equal(const Root& one, const Root& other) {
  return one.count == other.count && one.first == other.first && one.second == other.second && one.wide == other.wide &&
         one.list == other.list && one.numbers == other.numbers && one.text == other.text && one.texts == other.texts &&
         one.queue == other.queue && one.set == other.set && (one.large == nullptr) == (other.large == nullptr) &&
         (one.large == nullptr || *one.large == *other.large);
}

OpenOptions small_log() {
  OpenOptions options;
  options.durability = Durability::power;
  options.log_bytes = std::size_t{1} << 20;
  return options;
}

void look(const Root& root, std::uint64_t workload) {
  const auto expected = std::make_unique<Root>();
  for (std::uint64_t number = 1; number <= root.count && number <= steps; ++number) run(*expected, workload, number);
  if (!are_equal(root, *expected)) throw std::logic_error("the state is not that of its transactions");
}

void work(Root& root, std::uint64_t workload, std::uint64_t last) {
  for (std::uint64_t number = root.count + 1; number <= last; ++number) {
    // One that is rolled back first.
    try {
      TM_BEGIN {
        run(root, workload, number + 1);
        throw Refused();
      } TM_END;
    } catch (const Refused&) {
    }
    TM_BEGIN { run(root, workload, number); } TM_END;
    tell("0 " + std::to_string(number) + "\n");
  }
}

int live(const char* path, std::uint64_t workload) {
  bool is_first = true;
  try {
    for (const std::uint64_t last : {steps / 2, steps}) {
      Pool pool = Pool::open(path, small_log());
      Root& root = pool.root<Root>("root");
      try {
        look(root, workload);
      } catch (const std::logic_error& error) {
        tell(std::string("broken: ") + error.what() + "\n");
        return 1;
      }
      if (std::exchange(is_first, false)) tell("found " + std::to_string(root.count) + " 0 0\n");
      work(root, workload, last);
      pool.close();
    }
  } catch (const std::exception& error) {
    tell(std::string("refused: ") + error.what() + "\n");
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace perdure::outside

int main(int argc, char** argv) {
  using namespace perdure::outside;
  if (argc < 3) return static_cast<int>(workload_count);
  return live(argv[1], std::strtoull(argv[2], nullptr, 10));
}
