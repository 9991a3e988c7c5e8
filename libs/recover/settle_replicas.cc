#include "recover/settle_replicas.h"

#include <cstring>
#include <string>

#include "log/replica_word.h"
#include "persist/durable.h"
#include "persist/step.h"
#include "pool/format.h"
#include "pool/refuse.h"
#include "recover/damage.h"

namespace perdure::recover {
namespace {

constexpr std::uint64_t superblock_of_roots = pool::root_table_offset / pool::superblock_bytes;

/// Where transactions write, and nothing else. A superblock may have become something else since it got its replica:
/// its descriptor says so, which was durable before it did.
void copy_back(alloc::Heap& heap, log::Copy copy) {
  alloc::Superblocks& superblocks = heap.superblocks();
  for (const alloc::Replica& replica : superblocks.replicas()) {
    if (replica.copy != persistence::value<persistence::Step::copy_that_counts>(copy)) continue;
    std::byte* const original = superblocks.address(replica.original);
    const bool is_used =
        superblocks.use(replica.original) != alloc::Use::none || replica.original == superblock_of_roots;
    if (!is_used || !is_data(heap, reinterpret_cast<std::uintptr_t>(original))) continue;
    std::memcpy(original, superblocks.address(replica.number), pool::superblock_bytes);
    persistence::note_change(original, pool::superblock_bytes);
  }
  persistence::complete_changes();
}

}  // namespace

bool settle_replicas(alloc::Heap& heap) {
  log::ReplicaWord& word = log::replica_word_of(heap.mapping());
  const std::uint64_t features = heap.mapping().header().incompatible_features;
  if (!word.is_sound((features & pool::numbered_turns) != 0))
    pool::refuse(PoolError::Kind::damaged, heap.mapping().path(),
                 "the word that says which replicas count is damaged. Restore the file from a backup.");
  const log::Copy copy = word.copy();
  const bool counted = copy != log::main_copy;
  if (!counted && heap.superblocks().replicas().empty()) return false;
  // A process that was killed may have stored the word and not flushed it: what is believed now must be what the next
  // recovery finds, as long as originals are being written, or replicas given up.
  persistence::perform<persistence::Step::word_settled>([&] {
    persistence::settle(&word, sizeof(word));
    persistence::complete_changes();
  });
  if (counted) {
    // The replicas stay as they are until the word is durable that says that they do not count.
    persistence::in_order<persistence::Step::copied_back_before_turn>(
        [&] { persistence::perform<persistence::Step::copied_back>([&] { copy_back(heap, copy); }); },
        [&] {
          word.store(log::main_copy);
          persistence::make_durable(word);
        });
  }
  heap.superblocks().release_replicas();
  return counted;
}

}  // namespace perdure::recover
