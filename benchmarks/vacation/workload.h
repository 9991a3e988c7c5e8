#ifndef PERDURE_BENCHMARKS_VACATION_WORKLOAD_H
#define PERDURE_BENCHMARKS_VACATION_WORKLOAD_H

#include "agency.h"
#include "common/random.h"
#include "consistency.h"
#include "perdure/transaction.h"

namespace perdure::benchmarks::vacation {

/// Prices as STAMP draws them: 50 to 90, in steps of ten.
inline std::uint32_t draw_price(Random& random) { return static_cast<std::uint32_t>(random.between(0, 4) * 10 + 50); }

/// One thread that serves customers.
class Worker {
 public:
  Worker(Database& database, const Parameters& parameters, const Share& share)
      : database_(database), parameters_(parameters), queried_(parameters.queried()), random_(share.seed) {}

  Outcome step() {
    const auto drawn = random_.between(0, 99);
    if (drawn < parameters_.user_percent) {
      make_reservations();
    } else if (random_.percent(50)) {
      delete_customer();
    } else {
      change_offers();
    }
    return Outcome::committed;
  }

 private:
  struct Query {
    std::uint32_t kind;
    std::uint32_t id;
    bool adds;  // for changes: places are added, not removed
    std::uint32_t price;
  };
  using Queries = std::array<Query, Parameters::queries_limit>;

  // Looks at some offers, and reserves the dearest of each kind.
  void make_reservations() {
    auto& database = database_;
    Queries queries;
    const auto count = draw(queries);
    const auto customer_id = draw_id();
    TM_BEGIN {
      std::array<std::uint32_t, kinds> best{};  // identifiers; 0: none
      std::array<std::uint32_t, kinds> highest_price{};
      bool found = false;
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto [kind, id, adds, unused] = queries[i];
        const Offer* offer = find_offer(database, kind, id);
        if (offer == nullptr || offer->price <= highest_price[kind]) continue;
        highest_price[kind] = offer->price;
        best[kind] = id;
        found = true;
      }
      if (!found) return;
      Customer& customer = *find_or_add_customer(database, customer_id);
      for (std::size_t kind = 0; kind < kinds; ++kind) {
        if (best[kind] != 0) reserve(database, customer, kind, best[kind]);
      }
    } TM_END;
  }

  void delete_customer() {
    auto& database = database_;
    const auto customer_id = draw_id();
    TM_BEGIN { vacation::delete_customer(database, customer_id); } TM_END;
  }

  // Half of the changes add a hundred places at a new price, half remove as many.
  void change_offers() {
    constexpr std::uint32_t places = 100;
    auto& database = database_;
    Queries queries;
    const auto count = draw(queries);
    TM_BEGIN {
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto [kind, id, adds, price] = queries[i];
        if (adds) {
          add_places(database, kind, id, places, price);
        } else {
          remove_places(database, kind, id, places);
        }
      }
    } TM_END;
  }

  // \returns how many it has drawn.
  std::uint32_t draw(Queries& queries) {
    const auto count = static_cast<std::uint32_t>(random_.between(1, parameters_.most_queries));
    for (std::uint32_t i = 0; i < count; ++i) {
      queries[i] = {static_cast<std::uint32_t>(random_.between(0, kinds - 1)), draw_id(), random_.percent(50),
                    draw_price(random_)};
    }
    return count;
  }

  std::uint32_t draw_id() { return static_cast<std::uint32_t>(random_.between(1, queried_)); }

  Database& database_;
  const Parameters parameters_;
  const std::uint32_t queried_;
  Random random_;
};

/// A travel agency with customers that make and cancel reservations.
class Agency : public RootedWorkload<Database, Parameters> {
 public:
  using Worker = vacation::Worker;

  static constexpr const char* name = "vacation";

  Agency(Pool& pool, const Parameters& parameters, std::size_t /*threads*/)
      : RootedWorkload(pool, "vacation", parameters) {}

  void populate(const Share& share) {
    Random random(share.seed);
    const std::size_t relations = parameters_.scale.relations;
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      for_each_batch(share, relations, rows_per_transaction,
                     [&](std::size_t begin, std::size_t end) { add_offers(random, kind, begin, end); });
    }
    for_each_batch(share, relations, rows_per_transaction, [this](std::size_t begin, std::size_t end) {
      TM_BEGIN {
        for (auto row = begin; row < end; ++row) find_or_add_customer(root_, id_of(row));
      } TM_END;
    });
  }

  Worker worker(const Share& share) { return Worker(root_, parameters_, share); }

  std::vector<std::string> violations() const { return Consistency(root_).violations(); }

 private:
  static constexpr std::size_t rows_per_transaction = 16;

  static std::uint32_t id_of(std::size_t row) { return static_cast<std::uint32_t>(row + 1); }

  void add_offers(Random& random, std::size_t kind, std::size_t begin, std::size_t end) {
    struct Drawn {
      std::uint32_t places;
      std::uint32_t price;
    };
    std::array<Drawn, rows_per_transaction> drawn;
    for (auto& offer : drawn) offer = {static_cast<std::uint32_t>(random.between(1, 5) * 100), draw_price(random)};
    TM_BEGIN {
      for (auto row = begin; row < end; ++row) {
        add_places(root_, kind, id_of(row), drawn[row - begin].places, drawn[row - begin].price);
      }
    } TM_END;
  }
};

}  // namespace perdure::benchmarks::vacation

#endif
