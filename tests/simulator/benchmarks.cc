// Longer workloads, whose crash states are drawn by lot: what the benchmarks measure, at a small scale.
#include "common/workload.h"
#include "factories.h"
#include "stepped.h"
#include "structures/bplus_tree.h"
#include "structures/hash_index.h"
#include "tpcc/consistency.h"
#include "tpcc/new_order.h"
#include "tpcc/population.h"

namespace perdure::simulate {
namespace {

void require_none(const std::vector<std::string>& violations) {
  require(violations.empty(), violations.empty() ? "" : violations.front());
}

// -- B+ tree ---------------------------------------------------------------------------------------------------------

struct Tree {
  benchmarks::BPlusTree<std::uint64_t> entries;
  std::uint64_t steps = 0;
};

/// First the tree grows until its root has been split twice, then it shrinks again.
class TreeWorkload : public Stepped<Tree> {
  static constexpr std::uint64_t growing = 200;
  static constexpr std::uint64_t keys = 256;

  std::uint64_t steps() const override { return 2 * growing; }
  bool knows_blocks() const override { return false; }  // nodes are counted by nobody but the mark phase
  void step(Tree& root, std::uint64_t number) override {
    TM_BEGIN {
      if (number <= growing)
        root.entries.insert(key_of(number), number);
      else
        root.entries.erase(key_of(number - growing));
      root.steps = number;
    } TM_END;
  }
  std::uint64_t steps_taken(Tree& root) override {
    return execute([&] { return root.steps; });
  }
  void check(Tree& root, std::uint64_t taken) override {
    require_none(root.entries.violations());
    std::size_t expected = 0;
    for (std::uint64_t number = 1; number <= growing; ++number) {
      const bool is_in = number <= taken && number + growing > taken;
      const std::uint64_t* const found = root.entries.find(key_of(number));
      require(is_in ? found != nullptr && *found == number : found == nullptr,
              "an entry is missing, wrong or too many");
      expected += is_in ? 1 : 0;
    }
    std::size_t entries = 0;
    for (auto position = root.entries.begin(); position != root.entries.end(); ++position) ++entries;
    require(entries == expected, "the leaves hold other entries than those inserted and not erased");
  }

  /// All different: an odd factor is a bijection modulo a power of two.
  static benchmarks::Key key_of(std::uint64_t number) { return number * 77 % keys; }
};

// -- TPC-C -----------------------------------------------------------------------------------------------------------

using Database = benchmarks::tpcc::Database<benchmarks::HashIndex>;

struct Store {
  Database database;
  std::uint64_t steps = 0;
};

/// New Orders. Of what was acknowledged the steps are proof, of what is whole the consistency conditions.
class NewOrderWorkload : public Stepped<Store> {
  std::uint64_t steps() const override { return 60; }
  bool knows_blocks() const override { return false; }  // rows, and what their indexes grow to
  void prepare(Store& root) override {
    const benchmarks::tpcc::Scale scale = parameters().scale;
    TM_BEGIN { root.database.scale = scale; } TM_END;
    using Population = benchmarks::tpcc::Population<Database>;
    Population::prepare_tables(root.database, scale);
    Population(root.database, scale, {0, 1, 1}).fill();
  }
  void step(Store& root, std::uint64_t number) override {
    const auto request = request_of(number);
    TM_BEGIN {
      benchmarks::tpcc::NewOrderTransaction<Database>(root.database, request).run();
      root.steps = number;
    } TM_END;
  }
  std::uint64_t steps_taken(Store& root) override {
    return execute([&] { return root.steps; });
  }
  void check(Store& root, std::uint64_t taken) override {
    require_none(benchmarks::tpcc::Consistency<Database>(root.database).violations());
    const benchmarks::tpcc::Scale& scale = root.database.scale;
    std::uint64_t orders = 0;
    root.database.orders.for_each([&](const benchmarks::tpcc::Order&) { ++orders; });
    const std::uint64_t initial = benchmarks::tpcc::districts_per_warehouse * scale.orders_per_district;
    require(orders == initial + taken, std::to_string(orders - initial) + " orders after " + std::to_string(taken));
  }

  static benchmarks::tpcc::Parameters parameters() {
    benchmarks::tpcc::Parameters parameters;
    parameters.scale = {.warehouses = 1, .customers_per_district = 2, .items = 40, .orders_per_district = 4};
    parameters.invalid_percent = 0;
    return parameters;
  }
  static benchmarks::tpcc::OrderRequest request_of(std::uint64_t number) {
    auto request = benchmarks::tpcc::Terminal(parameters(), 1, number).next_request();
    request.entered = static_cast<benchmarks::tpcc::Date>(number);  // not the clock: the same in every run
    return request;
  }
};

}  // namespace

std::unique_ptr<Workload> make_tree() { return std::make_unique<TreeWorkload>(); }
std::unique_ptr<Workload> make_tpcc() { return std::make_unique<NewOrderWorkload>(); }

}  // namespace perdure::simulate
