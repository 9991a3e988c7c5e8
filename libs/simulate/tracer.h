#ifndef PERDURE_SIMULATE_TRACER_H
#define PERDURE_SIMULATE_TRACER_H

#include <array>
#include <cstddef>
#include <cstdint>

#include "pool/window.h"
#include "simulate/trace.h"

namespace perdure::simulate {

class Images;

/// Told of accesses to pool memory before they are made.
class AccessObserver {
 public:
  virtual void before_load(std::uintptr_t address, std::size_t bytes) = 0;
  virtual void before_store(std::uintptr_t address, std::size_t bytes) = 0;
  /// Whether memory shows what the line holds; otherwise it shows something that it may hold.
  virtual bool is_decided(std::uintptr_t line) const = 0;

 protected:
  ~AccessObserver() = default;
};

/// Records what the program does to its pools. One thread runs at a time (simulate/scheduler.h), so nothing here is
/// synchronised.
///
/// The instrumentation announces a plain store before it is made. What it stored is read when the thread is heard of
/// next, which is before any other thread runs.
///
/// A pool is known by the address it had at first. Where the program has mapped it elsewhere, since it is or was moved,
/// addresses are translated here: the trace and the observer have those of its first place.
class Tracer {
 public:
  /// \param images    the pools; their files tell growth and syncs of one from those of another.
  /// \param observer  told of all accesses, or null.
  void start(Trace& trace, const Images& images, AccessObserver* observer);
  void stop();
  bool is_on() const { return trace_ != nullptr; }

  void before_load(std::uintptr_t address, std::size_t bytes);
  void before_store(std::uintptr_t address, std::size_t bytes);
  /// The store that was announced has been made.
  void complete_store() {
    if (pending_bytes_ != 0) record_store();
  }

  void flush(std::uintptr_t line, const void* site);
  void add(Event::Kind kind, std::uintptr_t address, std::uint64_t value, const void* site = nullptr);
  /// The program has mapped a file there.
  void file_is_mapped(int descriptor, const void* address);
  void file_has_size(int descriptor, std::uint64_t bytes);
  /// A part of the file becomes zeros. Until it is synced, a crash may find each line as it was.
  void before_hole(int descriptor, std::uint64_t offset, std::uint64_t bytes);
  void file_is_synced(int descriptor);

 private:
  void record_store();
  /// The address in the pool's first place of one in memory, and the other way round.
  std::uintptr_t translated(std::uintptr_t address) const;
  std::uintptr_t in_memory(std::uintptr_t address) const;

  Trace* trace_ = nullptr;
  const Images* images_ = nullptr;
  AccessObserver* observer_ = nullptr;
  std::uintptr_t pending_address_ = 0;
  std::size_t pending_bytes_ = 0;                                // 0: no store is pending
  std::array<std::uintptr_t, pool::slot_count> pool_in_slot_{};  // the first place of what is mapped there; 0: the same
};

inline constinit Tracer tracer;

}  // namespace perdure::simulate

#endif
