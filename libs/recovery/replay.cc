#include "recovery/replay.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "log/record.h"
#include "log/redo_log.h"
#include "perdure/error.h"
#include "persist/current.h"
#include "pool/window.h"

namespace perdure::recovery {
namespace {

using Domain = persist::Current;
using log::SegmentHeader;

/// One segment of an active record, checked.
struct Segment {
  const SegmentHeader* header;
  std::size_t entry_bytes;

  template <class Function>
  void for_each_entry(Function&& function) const {
    const auto* entry = reinterpret_cast<const std::byte*>(header + 1);
    for (std::uint64_t i = 0; i < header->entry_count; ++i, entry += entry_bytes) function(entry);
  }
};

struct Record {
  SegmentHeader* head;
  std::uint64_t commit_timestamp;
  std::vector<Segment> segments;
};

[[noreturn]] void refuse(const alloc::Heap& heap, const SegmentHeader& segment, const char* what) {
  const std::string path = heap.mapping().path();
  const auto offset = reinterpret_cast<std::uintptr_t>(&segment) % pool::slot_bytes;
  throw PoolError(PoolError::Kind::damaged, path,
                  path + ": the log at offset " + std::to_string(offset) + " is damaged (" + what +
                      "); the file was not changed. Restore it from a copy.");
}

bool is_in_pool(alloc::Heap& heap, std::uint64_t address) {
  const auto base = reinterpret_cast<std::uintptr_t>(heap.mapping().base());
  return address >= base && address - base < heap.superblocks().count() * pool::superblock_bytes;
}

alloc::Use use_of(alloc::Heap& heap, std::uint64_t address) {
  return heap.superblocks().use(heap.superblocks().number_of(reinterpret_cast<const void*>(address)));
}

/// Whether transactions write there: blocks and the root table, not logs and other metadata.
bool is_data(alloc::Heap& heap, std::uint64_t address) {
  if (!is_in_pool(heap, address)) return false;
  const auto offset = address - reinterpret_cast<std::uintptr_t>(heap.mapping().base());
  if (offset / pool::superblock_bytes == pool::root_table_offset / pool::superblock_bytes) return true;
  const alloc::Use use = use_of(heap, address);
  return use != alloc::Use::metadata && use != alloc::Use::log;
}

bool is_log_segment(alloc::Heap& heap, std::uint64_t address) {
  return address % pool::superblock_bytes == 0 && is_in_pool(heap, address) && use_of(heap, address) == alloc::Use::log;
}

std::size_t entry_bytes_of(alloc::Heap& heap, const SegmentHeader& segment) {
  switch (segment.chunk_bytes) {
    case log::WordEntry::chunk_bytes:
      return sizeof(log::WordEntry);
    case 16:
      return sizeof(log::ChunkEntry<16>);
    case 32:
      return sizeof(log::ChunkEntry<32>);
    case 64:
      return sizeof(log::ChunkEntry<64>);
    default:
      refuse(heap, segment, "unknown entry size");
  }
}

void check(alloc::Heap& heap, const Segment& segment) {
  if (segment.header->entry_count > (log::segment_bytes - sizeof(SegmentHeader)) / segment.entry_bytes)
    refuse(heap, *segment.header, "too many entries");
  segment.for_each_entry([&](const std::byte* entry) {
    std::uint64_t address = 0;
    std::memcpy(&address, entry, sizeof address);
    if (address % segment.header->chunk_bytes != 0 || !is_data(heap, address))
      refuse(heap, *segment.header, "an entry points outside the pool's data");
  });
}

Record read_record(alloc::Heap& heap, SegmentHeader* head) {
  Record record{head, head->status, {}};
  for (const SegmentHeader* segment = head; segment != nullptr;) {
    if (record.segments.size() > heap.superblocks().count()) refuse(heap, *head, "its segments form a circle");
    record.segments.push_back({segment, entry_bytes_of(heap, *segment)});
    check(heap, record.segments.back());
    if (segment->next != 0 && !is_log_segment(heap, segment->next))
      refuse(heap, *segment, "its continuation is no log segment");
    segment = reinterpret_cast<const SegmentHeader*>(segment->next);
  }
  return record;
}

std::vector<Record> active_records(alloc::Heap& heap) {
  std::vector<Record> records;
  heap.for_each_log_segment([&](void* segment) {
    auto* const head = static_cast<SegmentHeader*>(segment);
    if (head->status != log::inactive) records.push_back(read_record(heap, head));
  });
  std::ranges::sort(records, {}, &Record::commit_timestamp);
  return records;
}

template <class Entry>
void replay_entry(const std::byte* bytes) {
  Entry entry;
  std::memcpy(static_cast<void*>(&entry), bytes, sizeof entry);
  entry.write_back();
  Domain::flush(reinterpret_cast<const void*>(entry.address));
}

void replay_entry_of(std::uint64_t chunk_bytes, const std::byte* entry) {
  switch (chunk_bytes) {
    case 16:
      return replay_entry<log::ChunkEntry<16>>(entry);
    case 32:
      return replay_entry<log::ChunkEntry<32>>(entry);
    case 64:
      return replay_entry<log::ChunkEntry<64>>(entry);
    default:
      return replay_entry<log::WordEntry>(entry);
  }
}

}  // namespace

ReplayReport replay_logs(alloc::Heap& heap) {
  const std::vector<Record> records = active_records(heap);
  ReplayReport report;
  for (const Record& record : records) {
    ++report.transactions;
    for (const Segment& segment : record.segments) {
      report.bytes += segment.header->entry_count * segment.header->chunk_bytes;
      segment.for_each_entry([&](const std::byte* entry) { replay_entry_of(segment.header->chunk_bytes, entry); });
    }
  }
  Domain::fence();  // all data before the first retirement
  for (const Record& record : records) {
    log::RedoLog::set_status<Domain>(*record.head, log::inactive);
    Domain::fence();  // oldest first, durably: a crash in between leaves only younger records to be replayed again
  }
  return report;
}

}  // namespace perdure::recovery
