// Longer workloads, whose crash states are drawn by lot: standard containers with random changes.
#include <map>
#include <random>
#include <unordered_map>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

/// What a step does: the same in every run.
struct Change {
  explicit Change(std::uint64_t number) {
    std::mt19937_64 random(number);
    erase = random() % 3 == 0;
    key = random() % 40;
    value = random();
  }
  bool erase;
  std::uint64_t key;
  std::uint64_t value;
};

template <class Container>
struct Root {
  Container container;
  std::uint64_t steps = 0;
};

template <class Container>
void change(Container& container, std::uint64_t number) {
  const Change wanted(number);
  if (wanted.erase)
    container.erase(wanted.key);
  else
    container[wanted.key] = wanted.value;
}

template <class Container>
class ContainerWorkload : public Stepped<Root<Container>> {
  std::uint64_t steps() const override { return 150; }
  void step(Root<Container>& root, std::uint64_t number) override {
    const Change wanted(number);
    TM_BEGIN {
      if (wanted.erase)
        root.container.erase(wanted.key);
      else
        root.container[wanted.key] = wanted.value;
      root.steps = number;
    } TM_END;
  }
  std::uint64_t steps_taken(Root<Container>& root) override {
    return execute([&] { return root.steps; });
  }
  void check(Root<Container>& root, std::uint64_t taken) override {
    Container expected;
    for (std::uint64_t number = 1; number <= taken; ++number) change(expected, number);
    require(root.container == expected, "the container holds something else");
  }
  std::size_t blocks(Root<Container>& root, std::uint64_t) const override {
    return root.container.size() + extra_blocks(root.container);
  }

  static std::size_t extra_blocks(const std::map<std::uint64_t, std::uint64_t>&) { return 0; }
  /// The buckets are a block of their own, unless there is but one.
  static std::size_t extra_blocks(const std::unordered_map<std::uint64_t, std::uint64_t>& map) {
    return map.bucket_count() > 1 ? 1 : 0;
  }
};

}  // namespace

std::unique_ptr<Workload> make_map() {
  return std::make_unique<ContainerWorkload<std::map<std::uint64_t, std::uint64_t>>>();
}
std::unique_ptr<Workload> make_hash() {
  return std::make_unique<ContainerWorkload<std::unordered_map<std::uint64_t, std::uint64_t>>>();
}

}  // namespace perdure::simulate
