#include "recover/replay_records.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "log/commit_record.h"
#include "persist/domain.h"
#include "persist/durable.h"
#include "persist/step.h"
#include "pool/refuse.h"
#include "recover/changed_bytes.h"
#include "recover/damage.h"

namespace perdure::recover {
namespace {

using log::CommitRecordPart;
using log::RecordArea;
using log::SegmentHeader;
using Parts = std::vector<const CommitRecordPart*>;

log::RecordWatermark& watermark_of(const alloc::Heap& heap) { return log::watermark_in(heap.mapping().base()); }

std::uint64_t number_of(const CommitRecordPart& part) { return part.of_several() ? *part.payload() : 0; }

/// Finds the parts in a segment that count. Its reader looks at no more than it must: lines that nothing depends on
/// may hold anything.
class SegmentReader {
 public:
  SegmentReader(alloc::Heap& heap, const SegmentHeader& segment)
      : heap_(heap),
        segment_(segment),
        run_(watermark_of(heap).run.value()),
        watermark_(watermark_of(heap).watermark.value()) {}

  /// Those of transactions above the watermark.
  void add_to(Parts& parts) {
    std::size_t offset = RecordArea::begin;
    for (; counts_at(offset); offset += at(offset).bytes())
      if (at(offset).timestamp() > watermark_) parts.push_back(&at(offset));
    // What comes now was cut short, or is older than the watermark. A whole record behind it means that something in
    // between has been damaged.
    for (; offset < RecordArea::end; offset += persistence::line_bytes)
      if (at(offset).timestamp() > watermark_ && counts_at(offset) && !at(offset).of_several())
        refuse_log(heap_, &segment_, "a record is missing among others");
  }

 private:
  const CommitRecordPart& at(std::size_t offset) const {
    return *reinterpret_cast<const CommitRecordPart*>(reinterpret_cast<const std::byte*>(&segment_) + offset);
  }

  bool counts_at(std::size_t offset) const {
    if (offset >= RecordArea::end) return false;
    const CommitRecordPart& part = at(offset);
    if (part.payload_words() == 0 || part.bytes() > RecordArea::end - offset) return false;
    return persistence::value<persistence::Step::record_whole>(part.checksum == part.right_checksum(run_));
  }

  alloc::Heap& heap_;
  const SegmentHeader& segment_;
  std::uint64_t run_;
  std::uint64_t watermark_;
};

/// In commit order, the parts of a transaction together.
Parts find_parts(alloc::Heap& heap) {
  Parts parts;
  heap.for_each_log_segment([&](const void* segment) {
    const auto& header = *static_cast<const SegmentHeader*>(segment);
    if (header.kind == log::LogKind::records) SegmentReader(heap, header).add_to(parts);
  });
  std::ranges::sort(parts, {}, [](const CommitRecordPart* part) {
    return std::tuple(persistence::value<persistence::Step::replay_order>(part->timestamp()), number_of(*part));
  });
  return parts;
}

/// Whether these, which have one timestamp and are in order, are all parts of a record.
bool is_complete(std::span<const CommitRecordPart* const> parts) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (number_of(*parts[i]) != i) return false;
  return parts.back()->last();
}

/// Leaves out transactions of which a crash left only some parts. \returns how many there are.
std::uint64_t leave_out_incomplete(Parts& parts) {
  Parts complete;
  std::uint64_t transactions = 0;
  for (auto begin = parts.begin(); begin != parts.end();) {
    const auto end = std::find_if(
        begin, parts.end(), [&](const CommitRecordPart* part) { return part->timestamp() != (*begin)->timestamp(); });
    if (persistence::value<persistence::Step::record_complete>(is_complete({begin, end}))) {
      complete.insert(complete.end(), begin, end);
      ++transactions;
    }
    begin = end;
  }
  parts = std::move(complete);
  return transactions;
}

/// A process that was killed may have written records and not flushed them. What is believed of it now must be what
/// the next recovery finds, while the data is being written.
void settle(const Parts& parts) {
  persistence::perform<persistence::Step::records_settled>([&] {
    for (const CommitRecordPart* part : parts) persistence::settle(part, part->bytes());
    persistence::complete_changes();
  });
}

}  // namespace

RecordReplay::RecordReplay(alloc::Heap& heap) : heap_(heap), parts_(find_parts(heap)) {
  transactions_ = leave_out_incomplete(parts_);
  for (const CommitRecordPart* part : parts_) check_changed_bytes(heap, part, part->changed_bytes());
}

ReplayReport RecordReplay::run() {
  ReplayReport report{.transactions = transactions_};
  if (parts_.empty()) return report;
  settle(parts_);
  for (const CommitRecordPart* part : parts_) report.bytes += apply_changed_bytes(part->changed_bytes());
  persistence::fence();  // the data before its records go out of effect
  log::RecordWatermark& watermark = watermark_of(heap_);
  watermark.watermark.store(parts_.back()->timestamp());
  persistence::make_durable(watermark);  // before logs are replayed, and retired, that are younger than the records
  return report;
}

void require_sound_watermark(const alloc::Heap& heap) {
  if (!watermark_of(heap).is_sound())
    pool::refuse(PoolError::Kind::damaged, heap.mapping().path(),
                 "the page at offset " + std::to_string(pool::watermark_offset) +
                     ", which says what of its logs holds, is damaged. Restore the file from a backup.");
}

std::uint64_t current_run(const alloc::Heap& heap) { return watermark_of(heap).run.value(); }

void begin_run(alloc::Heap& heap) {
  log::RecordWatermark& watermark = watermark_of(heap);
  // First: a program that did not know of checks would take them for parts of the numbers.
  heap.superblocks().use_features(pool::checked_watermark);
  // In this order, which is that of their persistence: until the new run is there, the old watermark holds.
  watermark.run.store(watermark.run.value() + 1);
  watermark.watermark.store(0);
  watermark.retired.store(0);
  persistence::make_durable(watermark);
}

}  // namespace perdure::recover
