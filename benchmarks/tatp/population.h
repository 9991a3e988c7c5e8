#ifndef PERDURE_BENCHMARKS_TATP_POPULATION_H
#define PERDURE_BENCHMARKS_TATP_POPULATION_H

#include <algorithm>
#include <array>
#include <limits>

#include "database.h"
#include "perdure/transaction.h"

namespace perdure::benchmarks::tatp {

/// Fills a database as TATP's description says (section 1.2): each thread its share of the subscribers, with everything
/// that belongs to them.
class Population {
 public:
  Population(Database& database, const Scale& scale, std::uint64_t seed)
      : database_(database), scale_(scale), random_(seed) {}

  static void prepare_tables(Database& database, const Scale& scale) {
    const std::size_t subscribers = scale.subscribers;
    constexpr std::size_t types_each = 5;  // 2.5 on average, of each 1.5 call forwardings: halves
    TM_BEGIN { database.subscribers.reserve(subscribers); } TM_END;
    TM_BEGIN { database.subscribers_by_number.reserve(subscribers); } TM_END;
    TM_BEGIN { database.access_infos.reserve(subscribers * types_each / 2); } TM_END;
    TM_BEGIN { database.special_facilities.reserve(subscribers * types_each / 2); } TM_END;
    TM_BEGIN { database.call_forwardings.reserve(subscribers * types_each * 3 / 4); } TM_END;
  }

  /// Adds the subscribers [begin, end), counted from 0.
  /// \returns how many call forwardings they have.
  std::int64_t fill(std::size_t begin, std::size_t end) {
    std::int64_t forwardings = 0;
    for (auto first = begin; first < end; first += Batch::capacity) {
      const Batch batch = draw_batch(first, std::min(end, first + Batch::capacity));
      TM_BEGIN {
        for (std::size_t i = 0; i < batch.size; ++i) insert(batch.entries[i]);
      } TM_END;
      forwardings += batch.forwardings;
    }
    return forwardings;
  }

 private:
  // A subscriber with all its rows, drawn outside the transaction.
  struct Entry {
    Subscriber subscriber;
    std::array<AccessInfo, types> access_infos;
    std::array<SpecialFacility, types> facilities;
    std::array<CallForwarding, types * start_times> forwardings;
    std::size_t access_count = 0;
    std::size_t facility_count = 0;
    std::size_t forwarding_count = 0;
  };

  // What one transaction inserts: several subscribers, so that on a disk not each waits for it.
  struct Batch {
    static constexpr std::size_t capacity = 16;
    std::array<Entry, capacity> entries;
    std::size_t size = 0;
    std::int64_t forwardings = 0;
  };

  Batch draw_batch(std::size_t begin, std::size_t end) {
    Batch batch;
    for (auto i = begin; i < end; ++i) {
      const Entry& entry = batch.entries[batch.size++] = draw(static_cast<std::uint32_t>(i) + 1);
      batch.forwardings += static_cast<std::int64_t>(entry.forwarding_count);
    }
    return batch;
  }

  Entry draw(std::uint32_t id) {
    Entry entry;
    entry.subscriber = draw_subscriber(id);
    for_some<types>([&](std::uint32_t i) {
      entry.access_infos[entry.access_count++] = {id,           byte(i + 1),   byte(0, 255),
                                                  byte(0, 255), capitals<3>(), capitals<5>()};
    });
    for_some<types>([&](std::uint32_t i) {
      entry.facilities[entry.facility_count++] = {id,           byte(i + 1),  random_.percent(85),
                                                  byte(0, 255), byte(0, 255), capitals<5>()};
      draw_forwardings(entry, i + 1);
    });
    return entry;
  }

  Subscriber draw_subscriber(std::uint32_t id) {
    Subscriber row{};
    row.id = id;
    row.number = number_of(id);
    for (auto& bit : row.bits) bit = byte(0, 1);
    for (auto& digit : row.digits) digit = byte(0, 15);
    for (auto& value : row.bytes) value = byte(0, 255);
    row.switching_center = draw_location();
    row.visited_location = scale_.twins ? 0 : draw_location();
    return row;
  }

  std::uint32_t draw_location() {
    return static_cast<std::uint32_t>(random_.between(1, std::numeric_limits<std::uint32_t>::max()));
  }

  void draw_forwardings(Entry& entry, std::uint32_t type) {
    const auto wanted = random_.between(0, start_times);
    if (wanted == 0) return;
    const auto add = [&](std::uint32_t i) {
      const auto start = i * hours_between_start_times;
      entry.forwardings[entry.forwarding_count++] = {entry.subscriber.id, byte(type), byte(start),
                                                     byte(start + 1, start + 8), random_digits<15>(random_)};
    };
    for_so_many<start_times>(wanted, add);
  }

  // Calls `visit` for 1 to N different numbers below N.
  template <std::uint32_t N, class Visit>
  void for_some(Visit visit) {
    for_so_many<N>(random_.between(1, N), visit);
  }

  template <std::uint32_t N, class Visit>
  void for_so_many(std::int64_t wanted, Visit visit) {
    for (std::uint32_t i = 0; i < N; ++i) {
      if (random_.between(1, N - i) > wanted) continue;  // as many of the rest as are still wanted
      visit(i);
      --wanted;
    }
  }

  std::uint8_t byte(std::uint32_t value) const { return static_cast<std::uint8_t>(value); }
  std::uint8_t byte(std::uint32_t low, std::uint32_t high) {
    return static_cast<std::uint8_t>(random_.between(low, high));
  }

  template <std::size_t N>
  Text<N> capitals() {
    return random_text<N>(random_, N, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
  }

  void insert(const Entry& entry) {
    const auto id = entry.subscriber.id;
    auto& row = database_.subscribers.insert(subscriber_key(id), entry.subscriber);
    database_.subscribers_by_number.insert(number_key(entry.subscriber.number), &row);
    for (std::size_t i = 0; i < entry.access_count; ++i) {
      database_.access_infos.insert(typed_key(id, entry.access_infos[i].type), entry.access_infos[i]);
    }
    for (std::size_t i = 0; i < entry.facility_count; ++i) {
      database_.special_facilities.insert(typed_key(id, entry.facilities[i].type), entry.facilities[i]);
    }
    for (std::size_t i = 0; i < entry.forwarding_count; ++i) {
      const auto& forwarding = entry.forwardings[i];
      database_.call_forwardings.insert(forwarding_key(id, forwarding.facility_type, forwarding.start_time),
                                        forwarding);
    }
  }

  Database& database_;
  const Scale scale_;
  Random random_;
};

}  // namespace perdure::benchmarks::tatp

#endif
