#ifndef PERDURE_BENCHMARKS_VACATION_DATABASE_H
#define PERDURE_BENCHMARKS_VACATION_DATABASE_H

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/rooted_workload.h"
#include "parameters.h"
#include "structures/red_black_tree.h"

namespace perdure::benchmarks::vacation {

/// What an agency offers: cars, flights and rooms.
inline constexpr std::size_t kinds = 3;

struct Offer {
  std::uint32_t id;
  std::uint32_t used;
  std::uint32_t free;
  std::uint32_t total;
  std::uint32_t price;
};

/// One offer that a customer has reserved.
struct Booking {
  Booking* next;
  std::uint32_t kind;
  std::uint32_t offer_id;
  std::uint32_t price;
};

struct Customer {
  std::uint32_t id;
  Booking* bookings;  // sorted by kind and offer, each at most once
};

/// The whole agency: the root object of the pool.
struct Database {
  Scale scale;
  PopulationState population = PopulationState::empty;
  std::array<RedBlackTree<Offer*>, kinds> offers;
  RedBlackTree<Customer*> customers;
};

}  // namespace perdure::benchmarks::vacation

#endif
