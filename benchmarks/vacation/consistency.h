#ifndef PERDURE_BENCHMARKS_VACATION_CONSISTENCY_H
#define PERDURE_BENCHMARKS_VACATION_CONSISTENCY_H

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "database.h"

namespace perdure::benchmarks::vacation {

/// Checks that the trees are sound, and that what customers have booked is what of the offers is used. Runs alone.
class Consistency {
 public:
  explicit Consistency(const Database& database) : database_(database) {
    for (const auto& tree : database_.offers) add(tree.violations());
    add(database_.customers.violations());
    if (!violations_.empty()) return;  // a walk through a broken tree may not end
    check_customers();
    for (std::size_t kind = 0; kind < kinds; ++kind) check_offers(kind);
    for (const auto& [offer, count] : booked_) {
      if (count != 0) violations_.push_back(name_of(offer.first, offer.second) + " is booked, but does not exist");
    }
  }

  /// What is broken, one a line; empty if all is well.
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  void add(const std::vector<std::string>& violations) {
    violations_.insert(violations_.end(), violations.begin(), violations.end());
  }

  static std::string name_of(std::size_t kind, std::uint32_t id) {
    static constexpr std::array names{"car ", "flight ", "room "};
    return (kind < kinds ? names[kind] : "unknown ") + std::to_string(id);
  }

  void check_customers() {
    database_.customers.for_each([&](Key key, const Customer* customer) {
      expect_equal(violations_, "the identifier of customer " + std::to_string(key), customer->id, "its key", key);
      const Booking* last = nullptr;
      for (const Booking* booking = customer->bookings; booking != nullptr; booking = booking->next) {
        ++booked_[{booking->kind, booking->offer_id}];
        if (last != nullptr && std::pair(last->kind, last->offer_id) >= std::pair(booking->kind, booking->offer_id)) {
          violations_.push_back("the bookings of customer " + std::to_string(key) + " are not in order");
          return;  // perhaps the list is a ring
        }
        last = booking;
      }
    });
  }

  void check_offers(std::size_t kind) {
    database_.offers[kind].for_each([&](Key key, const Offer* offer) {
      const auto name = name_of(kind, static_cast<std::uint32_t>(key));
      expect_equal(violations_, "the identifier of " + name, offer->id, "its key", key);
      expect_equal(violations_, "used and free places of " + name, std::uint64_t{offer->used} + offer->free,
                   "its total", offer->total);
      const auto booked = booked_.find({kind, offer->id});
      expect_equal(violations_, "used places of " + name, offer->used, "what customers have booked",
                   booked == booked_.end() ? 0 : std::exchange(booked->second, 0));
    });
  }

  const Database& database_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::uint64_t> booked_;  // bookings of each offer not seen yet
  std::vector<std::string> violations_;
};

}  // namespace perdure::benchmarks::vacation

#endif
