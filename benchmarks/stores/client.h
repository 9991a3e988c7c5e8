#ifndef PERDURE_BENCHMARKS_STORES_CLIENT_H
#define PERDURE_BENCHMARKS_STORES_CLIENT_H

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "common/random.h"
#include "common/workload.h"
#include "database.h"
#include "ycsb/zipfian.h"

namespace perdure::benchmarks::stores {

/// One thread that does what a mix says.
template <class Library>
class Client {
 public:
  /// \param end  behind the keys that were put in order: [0, end) is there, and what inserts under way put
  Client(Database<Library>& database, const Parameters& parameters, const Share& share, const ycsb::Zipfian& zipfian,
         std::atomic<std::uint64_t>& end)
      : database_(database),
        parameters_(parameters),
        zipfian_(zipfian),
        end_(end),
        random_(share.seed),
        value_(parameters.value_bytes) {
    if (parameters.mix->has_writer_beside && share.index == 0) begin_writer_beside(share.seed);
  }

  Outcome step() {
    const auto& [first, second] = parameters_.mix->parts;
    run(first.percent == 100 || random_.percent(first.percent) ? first.operation : second.operation);
    return Outcome::committed;
  }

 private:
  using Iterator = typename Library::Iterator;

  void run(Operation operation) {
    switch (operation) {
      case Operation::insert:
        return database_.put(end_.fetch_add(1, std::memory_order_relaxed), value_, random_.next());
      case Operation::put:
        return database_.put(choose(), value_, random_.next());
      case Operation::get:
        return get(choose());
      case Operation::modify:
        return modify(choose());
      case Operation::erase:
        return database_.erase(choose());
      case Operation::seek:
        return seek(choose(), 1);
      case Operation::scan:
        return seek(choose(), static_cast<unsigned>(random_.between(1, longest_scan)));
      case Operation::next:
        return move(&Iterator::Next, &Iterator::SeekToFirst);
      case Operation::previous:
        return move(&Iterator::Prev, &Iterator::SeekToLast);
    }
  }

  std::uint64_t choose() {
    const auto last = static_cast<std::int64_t>(parameters_.entries) - 1;
    switch (parameters_.mix->choice) {
      case Choice::zipfian:
        return zipfian_.draw(random_);
      case Choice::latest:
        return end_.load(std::memory_order_relaxed) - 1 - zipfian_.rank(random_);
      case Choice::uniform:
        break;
    }
    return static_cast<std::uint64_t>(random_.between(0, last));
  }

  // What another client inserts may not be there yet.
  void get(std::uint64_t number) {
    if (!database_.get(number, read_) && number < parameters_.entries) missing(number);
  }

  void modify(std::uint64_t number) {
    get(number);
    database_.put(number, value_, random_.next());
  }

  void seek(std::uint64_t number, unsigned count) {
    const auto at = database_.iterator();
    at->Seek(EntryKey(number).template slice<typename Library::Slice>());
    if (!at->Valid() || database_.number_at(*at) != number) missing(number);
    while (--count > 0) {
      at->Next();
      if (!at->Valid()) return database_.expect_sound(*at);
      database_.number_at(*at);
    }
  }

  void move(void (Iterator::*onwards)(), void (Iterator::*to_begin)()) {
    if (!iterator_) iterator_ = database_.iterator();
    ((*iterator_).*(iterator_->Valid() ? onwards : to_begin))();
    if (iterator_->Valid())
      database_.number_at(*iterator_);
    else
      database_.expect_sound(*iterator_);
  }

  [[noreturn]] static void missing(std::uint64_t number) {
    throw std::runtime_error(std::string(Library::name) + ": key " + std::to_string(number) + " is not there");
  }

  // It has the mix of one that only puts; it ends with its client.
  void begin_writer_beside(std::uint64_t seed) {
    writer_ = std::jthread([&database = database_, parameters = parameters_, seed](const std::stop_token& stop) {
      Random random(~seed);
      EntryValue value(parameters.value_bytes);
      const auto last = static_cast<std::int64_t>(parameters.entries) - 1;
      while (!stop.stop_requested())
        database.put(static_cast<std::uint64_t>(random.between(0, last)), value, random.next());
    });
  }

  static constexpr std::int64_t longest_scan = 100;

  Database<Library>& database_;
  const Parameters& parameters_;
  const ycsb::Zipfian& zipfian_;
  std::atomic<std::uint64_t>& end_;
  Random random_;
  EntryValue value_;
  std::string read_;
  std::unique_ptr<Iterator> iterator_;
  std::jthread writer_;
};

}  // namespace perdure::benchmarks::stores

#endif
