#include "recover/replay.h"

#include <algorithm>
#include <ranges>
#include <span>
#include <vector>

#include "log/commit_record.h"
#include "log/record.h"
#include "log/redo_log.h"
#include "persist/domain.h"
#include "persist/durable.h"
#include "persist/step.h"
#include "recover/changed_bytes.h"
#include "recover/damage.h"
#include "recover/prepared_logs.h"
#include "recover/replay_records.h"

namespace perdure::recover {
namespace {

using log::SegmentHeader;

/// One segment of an active record, checked: where its entries lie. One of changed bytes has no entries of one format.
struct Segment {
  SegmentHeader* header;
  const log::EntryFormat* format = nullptr;
  std::uint64_t entry_count = 0;

  const std::byte* entry(std::uint64_t number) const {
    return reinterpret_cast<const std::byte*>(header) + format->first + number * format->bytes;
  }
};

struct Record {
  SegmentHeader* head;
  std::uint64_t status;  // of redo records, the commit timestamp
  std::vector<Segment> segments;
};

const log::EntryFormat& format_of(alloc::Heap& heap, const SegmentHeader& segment) {
  for (const log::EntryFormat& format : log::entry_formats)
    if (format.kind == segment.kind && format.chunk_bytes == segment.chunk_bytes) return format;
  refuse_log(heap, &segment, "unknown kind or size of entries");
}

/// A redo log says how many entries there are; in an undo log each vouches for itself.
std::uint64_t count_entries(alloc::Heap& heap, const Segment& segment) {
  const std::uint64_t capacity = (log::segment_bytes - segment.format->first) / segment.format->bytes;
  if (segment.header->kind == log::LogKind::redo) {
    if (segment.header->entry_count > capacity) refuse_log(heap, segment.header, "too many entries");
    return segment.header->entry_count;
  }
  std::uint64_t count = 0;
  while (count < capacity && segment.format->counts(segment.entry(count), segment.header->generation)) ++count;
  return count;
}

bool holds_changed_bytes(const SegmentHeader& segment) {
  return segment.kind == log::LogKind::redo && segment.chunk_bytes == SegmentHeader::of_changed_bytes;
}

std::span<const std::uint64_t> changed_bytes_in(const SegmentHeader& segment) {
  return {reinterpret_cast<const std::uint64_t*>(&segment + 1), segment.entry_count};
}

Segment read_segment(alloc::Heap& heap, SegmentHeader* header) {
  if (holds_changed_bytes(*header)) {
    constexpr std::size_t capacity = (log::segment_bytes - sizeof(SegmentHeader)) / sizeof(std::uint64_t);
    if (header->entry_count > capacity) refuse_log(heap, header, "too many entries");
    check_changed_bytes(heap, header, changed_bytes_in(*header));
    return {header};
  }
  Segment segment{header, &format_of(heap, *header), 0};
  segment.entry_count = count_entries(heap, segment);
  for (std::uint64_t i = 0; i < segment.entry_count; ++i) {
    const std::uint64_t address = log::address_in(segment.entry(i));
    if (address % header->chunk_bytes != 0 || !is_data(heap, address))
      refuse_log(heap, header, "an entry points outside the pool's data");
  }
  return segment;
}

Record read_record(alloc::Heap& heap, SegmentHeader* head) {
  Record record{head, head->status, {}};
  for (SegmentHeader* segment = head; segment != nullptr;) {
    if (record.segments.size() > heap.superblocks().count()) refuse_log(heap, head, "its segments form a circle");
    if (segment->kind != head->kind) refuse_log(heap, segment, "it continues a log of another kind");
    record.segments.push_back(read_segment(heap, segment));
    if (segment->next != 0 && !is_log_segment(heap, segment->next))
      refuse_log(heap, segment, "its continuation is no log segment");
    segment = reinterpret_cast<SegmentHeader*>(segment->next);
  }
  return record;
}

/// A process that was killed may have stored a status and not flushed it. What is believed of it now must be what the
/// next recovery finds: an active record while its data is being written, and an inactive one for ever after.
void settle_statuses(alloc::Heap& heap) {
  persistence::settle(&log::watermark_in(heap.mapping().base()), sizeof(log::RecordWatermark));
  heap.for_each_log_segment([](const void* segment) { persistence::settle(segment, sizeof(SegmentHeader)); });
  persistence::complete_changes();
}

/// Whether it was retired together with others (log/retirement.h).
bool is_retired(alloc::Heap& heap, const SegmentHeader& head) {
  const bool is_old = head.status <= log::watermark_in(heap.mapping().base()).retired.value();
  return head.kind == log::LogKind::redo && persistence::value<persistence::Step::retired_passed_over>(is_old);
}

/// Redo records in commit order. Undo records hold locations that nobody else has changed since, so their order is of
/// no consequence.
std::vector<Record> active_records(alloc::Heap& heap, const PreparedLogs& prepared) {
  std::vector<Record> records;
  heap.for_each_log_segment([&](void* segment) {
    auto* const head = static_cast<SegmentHeader*>(segment);
    if (head->status != log::inactive && head->kind != log::LogKind::prepared && !is_retired(heap, *head))
      records.push_back(read_record(heap, head));
  });
  std::ranges::sort(records, {}, [](const Record& record) {
    return persistence::value<persistence::Step::replay_order>(record.status);
  });
  // Last: whoever prepared them had the locks of their locations, so nothing younger is about these.
  for (SegmentHeader* const head : prepared.to_replay()) records.push_back(read_record(heap, head));
  return records;
}

/// Those that do not count any more though their statuses say so. They are not read: what they hold may be gone.
std::vector<SegmentHeader*> retired_records(alloc::Heap& heap) {
  std::vector<SegmentHeader*> heads;
  heap.for_each_log_segment([&](void* segment) {
    auto* const head = static_cast<SegmentHeader*>(segment);
    if (head->status != log::inactive && is_retired(heap, *head)) heads.push_back(head);
  });
  return heads;
}

void end_record(SegmentHeader& head) {
  log::store_status(head, log::inactive);
  persistence::make_durable(head);
}

std::uint64_t apply(const Segment& segment, std::uint64_t number) {
  const std::byte* const entry = segment.entry(number);
  segment.format->apply(entry);
  persistence::note_change(reinterpret_cast<const void*>(log::address_in(entry)), segment.header->chunk_bytes);
  return segment.header->chunk_bytes;
}

std::uint64_t roll_forward(const Record& record) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : record.segments) {
    if (holds_changed_bytes(*segment.header)) bytes += apply_changed_bytes(changed_bytes_in(*segment.header));
    for (std::uint64_t i = 0; i < segment.entry_count; ++i) bytes += apply(segment, i);
  }
  return bytes;
}

/// Newest first: of several values saved for a location the oldest wins.
std::uint64_t roll_back(const Record& record) {
  std::uint64_t bytes = 0;
  for (const Segment& segment : std::views::reverse(record.segments))
    for (std::uint64_t i = segment.entry_count; i-- > 0;) bytes += apply(segment, i);
  return bytes;
}

void carry_out_record(const Record& record, const PreparedLogs& prepared, ReplayReport& report) {
  const bool undo = record.head->kind == log::LogKind::undo;
  if (undo && !persistence::value<persistence::Step::undo_counts>(!prepared.has_ended(record.head))) {
    ++report.transactions;
    return;
  }
  ++(undo ? report.rolled_back : report.transactions);
  report.bytes += undo ? roll_back(record) : roll_forward(record);
}

}  // namespace

ReplayReport replay_logs(alloc::Heap& heap) {
  // Everything is read, and refused if need be, before anything is changed.
  PreparedLogs prepared(heap);
  const std::vector<Record> records = active_records(heap, prepared);
  const std::vector<SegmentHeader*> retired = retired_records(heap);
  RecordReplay record_replay(heap);
  settle_statuses(heap);
  // Whatever was prepared is younger than the records that count without it.
  ReplayReport report = record_replay.run();
  const auto carry_out = [&] {
    for (const Record& record : records) carry_out_record(record, prepared, report);
    persistence::complete_changes();  // all data before the first retirement
    for (SegmentHeader* const head : retired) end_record(*head);
    // Oldest first: a crash in between leaves only younger ones to be replayed.
    for (const Record& record : records) end_record(*record.head);
  };
  // What they prepared came last, and so is done with last.
  persistence::in_order<persistence::Step::carried_out_before_clear>(carry_out, [&] { prepared.clear(); });
  return report;
}

}  // namespace perdure::recover
