#ifndef PERDURE_BENCHMARKS_FRAGMENTATION_CHURN_H
#define PERDURE_BENCHMARKS_FRAGMENTATION_CHURN_H

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "common/random.h"
#include "perdure/pool.h"
#include "perdure/transaction.h"

namespace perdure::benchmarks::fragmentation {

/// A block begins with its size.
struct Block {
  std::uint64_t bytes;
};

/// The root object: places that hold a block or none.
struct Table {
  std::uint64_t places;
  Block** blocks;
};

/// Bytes of blocks: of 100, 90 are small, 9 medium and 1 is large; in each range as many of one magnitude as of
/// another.
class Sizes {
 public:
  explicit Sizes(Random& random) : random_(random) {}

  std::uint64_t draw() {
    const std::int64_t kind = random_.between(1, 100);
    if (kind <= 90) return between(16, 1024);
    return kind <= 99 ? between(1024, 16 * 1024) : between(16 * 1024, 512 * 1024);
  }

 private:
  std::uint64_t between(double low, double high) {
    const double share = static_cast<double>(random_.next() >> 11) * 0x1p-53;
    return static_cast<std::uint64_t>(low * std::pow(high / low, share));
  }

  Random& random_;
};

/// Allocates and frees at random, in transactions of several operations: a place that is drawn and holds a block is
/// emptied, otherwise it gets one. So half of the places hold one, soon.
class Churn {
 public:
  static constexpr std::uint64_t operations_in_transaction = 16;

  Churn(Table& table, std::uint64_t places, std::uint64_t seed) : table_(table), random_(seed) {
    TM_BEGIN {
      table_.places = places;
      table_.blocks = new Block*[places]();
    } TM_END;
  }

  void run_transaction() {
    struct Operation {
      std::uint64_t place;
      std::uint64_t bytes;
    };
    std::array<Operation, operations_in_transaction> operations;
    Sizes sizes(random_);
    for (Operation& operation : operations)
      operation = {static_cast<std::uint64_t>(random_.between(0, static_cast<std::int64_t>(table_.places) - 1)),
                   sizes.draw()};
    Table& table = table_;
    live_ += execute([&table, &operations] {
      std::int64_t change = 0;
      for (const Operation& operation : operations) {
        Block*& place = table.blocks[operation.place];
        if (place != nullptr) {
          change -= static_cast<std::int64_t>(place->bytes);
          ::operator delete(place);
          place = nullptr;
        } else {
          place = static_cast<Block*>(::operator new(operation.bytes));
          place->bytes = operation.bytes;
          change += static_cast<std::int64_t>(operation.bytes);
        }
      }
      return change;
    });
  }

  /// What the program has asked for and not freed: blocks, not the table.
  std::int64_t live_bytes() const { return live_; }

  /// \throws std::runtime_error when the blocks are not those that should be there.
  void check() const {
    std::int64_t bytes = 0;
    for (std::uint64_t place = 0; place < table_.places; ++place)
      if (const Block* const block = table_.blocks[place]) bytes += static_cast<std::int64_t>(block->bytes);
    if (bytes != live_) throw std::runtime_error("the blocks are not those that were allocated and not freed");
  }

 private:
  Table& table_;
  Random random_;
  std::int64_t live_ = 0;
};

}  // namespace perdure::benchmarks::fragmentation

#endif
