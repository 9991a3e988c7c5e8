#ifndef PERDURE_BENCHMARKS_VACATION_AGENCY_H
#define PERDURE_BENCHMARKS_VACATION_AGENCY_H

#include <optional>

#include "database.h"

/// What can be done at the agency; to be called in transactions.
namespace perdure::benchmarks::vacation {

inline Offer* find_offer(Database& database, std::size_t kind, std::uint32_t id) {
  Offer** offer = database.offers[kind].find(id);
  return offer == nullptr ? nullptr : *offer;
}

inline Customer* find_customer(Database& database, std::uint32_t id) {
  Customer** customer = database.customers.find(id);
  return customer == nullptr ? nullptr : *customer;
}

/// Adds `number` places to an offer, or makes it, and sets its price.
inline void add_places(Database& database, std::size_t kind, std::uint32_t id, std::uint32_t number,
                       std::uint32_t price) {
  if (Offer* offer = find_offer(database, kind, id)) {
    offer->free += number;
    offer->total += number;
    offer->price = price;
  } else {
    database.offers[kind].insert(id, new Offer{id, 0, number, number, price});
  }
}

/// Takes `number` free places from an offer, which ends when none is left. Does nothing if not so many are free.
inline void remove_places(Database& database, std::size_t kind, std::uint32_t id, std::uint32_t number) {
  Offer* offer = find_offer(database, kind, id);
  if (offer == nullptr || offer->free < number) return;
  if (offer->total == number) {
    database.offers[kind].erase(id);
    delete offer;
    return;
  }
  offer->free -= number;
  offer->total -= number;
}

inline Customer* find_or_add_customer(Database& database, std::uint32_t id) {
  if (Customer* known = find_customer(database, id)) return known;
  auto* customer = new Customer{id, nullptr};
  database.customers.insert(id, customer);
  return customer;
}

/// Reserves a place for a customer.
/// \returns whether there was a free one, and the customer did not have one of this offer already.
inline bool reserve(Database& database, Customer& customer, std::size_t kind, std::uint32_t id) {
  Offer* offer = find_offer(database, kind, id);
  if (offer == nullptr || offer->free == 0) return false;
  const auto is_before = [&](const Booking& other) {
    return other.kind != kind ? other.kind < kind : other.offer_id < id;
  };
  Booking** link = &customer.bookings;
  while (*link != nullptr && is_before(**link)) link = &(*link)->next;
  Booking* after = *link;
  if (after != nullptr && after->kind == kind && after->offer_id == id) return false;
  *link = new Booking{after, static_cast<std::uint32_t>(kind), id, offer->price};
  ++offer->used;
  --offer->free;
  return true;
}

/// Removes a customer and cancels all bookings.
/// \returns the sum of the bookings' prices; nothing if there is no such customer.
inline std::optional<std::uint64_t> delete_customer(Database& database, std::uint32_t id) {
  Customer* customer = find_customer(database, id);
  if (customer == nullptr) return std::nullopt;
  std::uint64_t bill = 0;
  for (Booking* booking = customer->bookings; booking != nullptr;) {
    Offer& offer = *find_offer(database, booking->kind, booking->offer_id);  // it lasts while a place is used
    --offer.used;
    ++offer.free;
    bill += booking->price;
    Booking* cancelled = booking;
    booking = booking->next;
    delete cancelled;
  }
  database.customers.erase(id);
  delete customer;
  return bill;
}

}  // namespace perdure::benchmarks::vacation

#endif
