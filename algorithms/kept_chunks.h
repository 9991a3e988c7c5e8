#ifndef PERDURE_ALGORITHMS_KEPT_CHUNKS_H
#define PERDURE_ALGORITHMS_KEPT_CHUNKS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "log/replica_map.h"
#include "log/replica_places.h"
#include "log/shared_memory.h"
#include "log/write_set.h"
#include "persist/step.h"

namespace perdure::algorithms {

/// The chunks of a copy that a transaction has written to, and what each held before (State and its log, EuroSys'20,
/// Algorithm 1; aggregated as in RedoOpt: a chunk is noted once). The new values need not be kept: the copy has them.
class KeptChunks {
 public:
  struct Chunk {
    static constexpr std::size_t chunk_bytes = log::replica_chunk_bytes;
    std::uintptr_t address;
    std::ptrdiff_t distance;  // to the copy that is written to
    std::array<std::uint64_t, chunk_bytes / sizeof(std::uint64_t)> old;
  };

  constexpr KeptChunks() = default;

  static std::uintptr_t chunk_of(const void* address) { return Chunks::chunk_of(address); }
  bool empty() const { return chunks_.empty(); }
  const Chunk* find(std::uintptr_t place) { return chunks_.find(place); }
  const Chunk* begin() const { return chunks_.begin(); }
  const Chunk* end() const { return chunks_.end(); }

  /// Of a chunk that is not here. \param distance  to where it lies in the copy.
  const Chunk& keep(std::uintptr_t place, std::ptrdiff_t distance) {
    Chunk& chunk = chunks_.insert(place);
    chunk.distance = distance;
    const auto* const address = reinterpret_cast<const std::uint64_t*>(place);
    std::memcpy(chunk.old.data(), log::at_distance(address, distance), Chunk::chunk_bytes);
    return chunk;
  }

  /// Calls `note(address)` for each.
  template <class Note>
  void note(Note&& note) const {
    const std::size_t count = persistence::value<persistence::Step::chunks_noted>(chunks_.size());
    for (std::size_t i = 0; i < count; ++i) note(chunks_.entries()[i].address);
  }

  void put_back() const {
    const std::size_t count = persistence::value<persistence::Step::chunks_put_back>(chunks_.size());
    for (std::size_t i = 0; i < count; ++i) put_back(chunks_.entries()[i]);
  }

  void clear() { chunks_.clear(); }
  void release() { chunks_.release(); }

 private:
  using Chunks = log::WriteSet<Chunk>;

  static void put_back(const Chunk& chunk) {
    auto* const to = log::at_distance(reinterpret_cast<std::uint64_t*>(chunk.address), chunk.distance);
    for (std::size_t i = 0; i < chunk.old.size(); ++i) log::store_shared(to + i, chunk.old[i]);
  }

  Chunks chunks_;
};

}  // namespace perdure::algorithms

#endif
