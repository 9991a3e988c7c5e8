#ifndef PERDURE_STORES_LEVELDB_STORE_H
#define PERDURE_STORES_LEVELDB_STORE_H

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <string_view>

#include <perdure/durability.h>
#include <perdure/pool.h>

#include "change.h"
#include "harvest.h"
#include "key_order.h"
#include "readers.h"
#include "verify.h"

namespace perdure::stores {

/// A batch of more is written by several transactions, which one more makes visible: a log on a disk has bounds.
struct Portion {
  std::size_t changes = 4096;
  std::size_t bytes = std::size_t{4} << 20;  ///< of keys and values, if there are several changes
};

/// A map from keys to values in a pool, in the order of the keys, with snapshots. Any number of threads may use it. It
/// knows nothing of LevelDB's classes.
///
/// All functions throw what transactions throw: std::bad_alloc when the pool, or the disk, is full, and nothing has
/// changed then; perdure::DurabilityError when the disk has failed.
class Store {
 public:
  /// `later`: the order needs to know what lies in the store. Nothing but `read` may be called before `recover`.
  enum class Recovery { at_once, later };

  /// \param comparator  the name of the order.
  /// \throws OtherOrder; perdure::PoolError.
  Store(const std::filesystem::path& file, KeyOrder order, std::string_view comparator, const OpenOptions& options = {},
        Recovery recovery = Recovery::at_once, Portion portion = Portion());
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  /// The store was made with another order.
  struct OtherOrder {
    std::string name;  ///< of that one
  };

  /// Takes back what a crash has left over.
  void recover();

  /// All changes, in their order, or none.
  void write(std::span<const Change> changes, Acknowledgement how);

  /// What belongs to a key, at a moment of a reader, or now (`latest`). \returns whether there is anything.
  bool read(std::string_view key, Stamp at, std::string& value);

  /// A reader of this moment: what it sees stays until end_reading.
  Stamp begin_reading();
  void end_reading(Stamp moment);
  /// One more reader of a moment that has one.
  void join_reading(Stamp moment) { readers_.add(moment, Readers::How::join); }

  /// The next entries that the reader of a moment sees, of a few leaves. There may be none, and yet a rest.
  void read_upwards(const Start& start, Stamp moment, unsigned leaves, Harvest& harvest);
  void read_downwards(const Start& start, Stamp moment, unsigned leaves, Harvest& harvest);

  /// Everything that is written is durable.
  void sync() { pool_.sync(); }

  /// What is wrong with the index; empty: nothing.
  std::string verify() { return fault_of(root_->tree, order_); }

  const KeyOrder& order() const { return order_; }
  std::size_t readers() const { return readers_.readers(); }
  std::size_t kept_versions() const { return readers_.kept(); }
  const OpenReport& report() const { return pool_.report(); }
  const std::filesystem::path& file() const { return pool_.path(); }

 private:
  void set_comparator(std::string_view name);
  void take_back_open_batch();

  bool try_write(std::span<const Change> changes, Acknowledgement how, Kept& kept);
  void write_large(std::span<const Change> changes, Acknowledgement how);
  void write_part(std::span<const Change> changes, Stamp now);
  Stamp open_batch();
  void close_batch(Acknowledgement how);
  void take_back(std::span<const Change> changes);

  Stamp begin_moment(bool opens_batch);
  void hand_over(const Kept& kept);
  void free_or_keep(Retained* retained, Stamp gone);
  void trim_and_forget(Retained* retained);

  Target target() { return {*root_, order_, readers_}; }

  KeyOrder order_;
  Portion portion_;
  /// Somebody has written without waiting for the disk: readers do not wait for it either. Otherwise what they have
  /// seen is durable when they return.
  std::atomic<bool> is_relaxed_{false};
  Pool pool_;
  Root* root_;
  Readers readers_;
  std::mutex batch_;  // held while a batch is open
};

}  // namespace perdure::stores

#endif
