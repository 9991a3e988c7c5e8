#ifndef PERDURE_BENCHMARKS_TPCC_WORKLOAD_H
#define PERDURE_BENCHMARKS_TPCC_WORKLOAD_H

#include <stdexcept>

#include "common/rooted_workload.h"
#include "consistency.h"
#include "new_order.h"
#include "perdure/transaction.h"
#include "population.h"

namespace perdure::benchmarks::tpcc {

/// One thread that enters New Orders.
template <class Database>
class Worker {
 public:
  Worker(Database& database, const Parameters& parameters, const Share& share)
      : database_(database),
        terminal_(parameters, static_cast<std::uint32_t>(share.index % parameters.scale.warehouses) + 1, share.seed) {}

  Outcome step() {
    auto& database = database_;
    const OrderRequest request = terminal_.next_request();
    try {
      OrderReceipt receipt;
      TM_BEGIN { receipt = NewOrderTransaction<Database>(database, request).run(); } TM_END;
      verify(receipt);
      return Outcome::committed;
    } catch (const InvalidItem&) {
      return Outcome::rolled_back;
    } catch (const DuplicateKey&) {
      throw std::logic_error("two orders were given the same number: transactions are not isolated");
    }
  }

 private:
  // Every result is looked at, or the optimiser could leave out what it was computed from.
  static void verify(const OrderReceipt& receipt) {
    if (receipt.order_id == 0 || receipt.total <= 0 || receipt.lines_of_original_brand > most_lines) {
      throw std::logic_error("an order came back without a number or a price: the transaction did not run as written");
    }
  }

  Database& database_;
  Terminal terminal_;
};

/// The New Order workload over one kind of index.
template <template <class> class Index>
class NewOrderWorkload : public RootedWorkload<tpcc::Database<Index>, tpcc::Parameters> {
  using Base = RootedWorkload<tpcc::Database<Index>, tpcc::Parameters>;
  using Base::parameters_;
  using Base::root_;

 public:
  using Database = tpcc::Database<Index>;
  using Worker = tpcc::Worker<Database>;

  static constexpr const char* name = "tpcc";

  NewOrderWorkload(Pool& pool, const Parameters& parameters, std::size_t threads) : Base(pool, "tpcc", parameters) {
    if (parameters_.scale.warehouses == 0) parameters_.scale.warehouses = static_cast<std::uint32_t>(threads);
  }

  void begin_population() {
    Base::begin_population();
    Population<Database>::prepare_tables(root_, parameters_.scale);
  }

  void populate(const Share& share) { Population<Database>(root_, parameters_.scale, share).fill(); }

  Worker worker(const Share& share) { return Worker(root_, parameters_, share); }

  std::vector<std::string> violations() const { return Consistency<Database>(root_).violations(); }
};

}  // namespace perdure::benchmarks::tpcc

#endif
