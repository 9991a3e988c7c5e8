#include "replicas.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "alloc/descriptor_table.h"
#include "log/replica_word.h"
#include "pool/header.h"

namespace perdure::tools {
namespace {

/// \returns zeros for what is not there.
template <class T>
void read_at(int file, std::uint64_t offset, T* to, std::size_t count) {
  std::fill_n(to, count, T{});
  [[maybe_unused]] const auto got = pread(file, to, count * sizeof(T), static_cast<off_t>(offset));
}

std::vector<std::uint64_t> directory_of(int file, const pool::Header& header) {
  constexpr std::size_t first = std::tuple_size_v<decltype(pool::Directory::entries)>;
  std::vector<std::uint64_t> entries((header.superblocks - 1) / pool::superblocks_per_segment + 1);
  read_at(file, pool::directory_offset, entries.data(), std::min(entries.size(), first));
  if (entries.size() > first)
    read_at(file, header.more_directory * pool::superblock_bytes, entries.data() + first, entries.size() - first);
  return entries;
}

struct Replicas {
  std::uint64_t count = 0;
  std::uint32_t copies = 1;  // the pool itself included
};

void count_in_segment(int file, std::uint64_t segment, std::uint64_t holder, Replicas& replicas) {
  std::vector<std::uint64_t> words(pool::superblocks_per_segment);
  read_at(file, holder * pool::superblock_bytes, words.data(), words.size());
  std::uint64_t number = segment * pool::superblocks_per_segment;
  for (const std::uint64_t word : words) {
    const auto descriptor = alloc::decode(number++, word);
    if (!descriptor || descriptor->kind != alloc::Descriptor::Kind::replica) continue;
    ++replicas.count;
    replicas.copies = std::max(replicas.copies, alloc::copy_of(*descriptor) + 1);
  }
}

Replicas count_replicas(int file, const pool::Header& header) {
  Replicas result;
  const std::vector<std::uint64_t> entries = directory_of(file, header);
  for (std::uint64_t segment = 0; segment < entries.size(); ++segment) {
    std::uint64_t holder = 0;
    if (pool::decode_directory_entry(segment, entries[segment], holder) && holder != 0)
      count_in_segment(file, segment, holder, result);
  }
  return result;
}

bool do_they_count(int file, const pool::Header& header) {
  std::array<log::ReplicaWord, 1> word{};
  read_at(file, pool::replica_word_offset, word.data(), word.size());
  return word.front().is_sound((header.incompatible_features & pool::numbered_turns) != 0) &&
         word.front().copy() != log::main_copy;
}

}  // namespace

void add_replicas(int file, const pool::Header& header, Document& document) {
  const bool may_have_some = (header.incompatible_features & pool::replicated) != 0;
  const Replicas replicas = may_have_some ? count_replicas(file, header) : Replicas{};
  document["copies"] = replicas.copies;
  document["replicas"] = replicas.count;
  document["replica_bytes"] = replicas.count * pool::superblock_bytes;
  document["replicas_count"] = replicas.count != 0 && do_they_count(file, header);
}

}  // namespace perdure::tools
