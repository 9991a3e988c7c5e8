#include "workload.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

namespace perdure::scale {

namespace {

constexpr double line_bytes = 64;
constexpr std::uint32_t stripes_of_line = 2;

/// Reads and writes of an average transaction.
double average_accesses(const std::vector<Stream>& streams) {
  double accesses = 0;
  double transactions = 0;
  for (const Stream& stream : streams) {
    transactions += static_cast<double>(stream.transactions.size());
    for (const TransactionShape& shape : stream.transactions) accesses += shape.reads + shape.writes;
  }
  return accesses / transactions;
}

class LineNumbers {
 public:
  std::uint32_t of(std::uint32_t stripe) {
    return numbers_.try_emplace(stripe / stripes_of_line, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  std::size_t size() const { return numbers_.size(); }

 private:
  std::unordered_map<std::uint32_t, std::uint32_t> numbers_;
};

void find_written_lines(Work& work) {
  for (const Touch& touch : work.touches)
    if (touch.access.is_write != 0) work.written_lines.push_back(touch.line);
  std::sort(work.written_lines.begin(), work.written_lines.end());
  work.written_lines.erase(std::unique(work.written_lines.begin(), work.written_lines.end()), work.written_lines.end());
}

/// The formulas of tests/tx/flush_counts_test.cc, without the two flushes of the status.
void count_flushes(Work& work, const Mode& mode, bool is_eager) {
  double chunks = 0;
  double words = 0;
  for (const Touch& touch : work.touches) {
    chunks += touch.access.is_write;
    words += touch.access.is_write == 0 ? 0 : std::popcount(touch.access.words);
  }
  const auto lines = static_cast<double>(work.written_lines.size());
  work.entries = mode.logs_chunks ? chunks : words;
  work.data_lines = mode.coalesced_flushes ? lines : words;
  constexpr double word_bytes = 8;
  if (mode.one_fence) {
    work.log_lines = std::ceil((2 + chunks + words) * word_bytes / line_bytes);
    work.data_lines = 0;  // counted over many transactions: Costs::retired_lines
  } else if (is_eager || !mode.coalesced_flushes) {
    work.log_lines = work.entries;  // each by itself
  } else {
    const double log_bytes = mode.logs_chunks ? (chunks + words) * word_bytes : 32 * words;
    work.log_lines = std::ceil(log_bytes / line_bytes);
  }
}

/// What is validated for a stripe that was read.
void count_reads(Work& work, const TransactionShape& shape) {
  double stripes = 0;
  for (const Touch& touch : work.touches) stripes += touch.access.is_write == 0;
  if (stripes == 0) return;
  work.noted_orecs = shape.read_set / stripes;
  work.noted_values = shape.reads / stripes;
}

/// The body is made of its accesses: each takes the same part of it.
void find_times(Work& work, const TransactionShape& shape, double average, const Costs& costs) {
  const double accesses = shape.reads + shape.writes;
  if (accesses == 0) return;
  work.an_access = costs.body / average + (shape.reads * costs.read + shape.writes * costs.write) / accesses;
  double seen = 0;
  for (const Touch& touch : work.touches) seen += 1 + touch.access.repeats;
  work.rest = std::max(accesses - seen, 0.0) * work.an_access;
}

}  // namespace

Workload::Workload(const std::vector<Stream>& streams, const Mode& mode, bool is_eager, const Costs& costs) {
  LineNumbers numbers;
  const double average = average_accesses(streams);
  for (const Stream& stream : streams) {
    std::vector<Work>& works = works_.emplace_back();
    auto next = stream.accesses.begin();
    for (const TransactionShape& shape : stream.transactions) {
      Work& work = works.emplace_back();
      for (std::uint32_t i = 0; i < shape.accesses; ++i, ++next)
        work.touches.push_back({*next, numbers.of(next->stripe)});
      find_written_lines(work);
      count_flushes(work, mode, is_eager);
      count_reads(work, shape);
      find_times(work, shape, average, costs);
      work.log_lines *= costs.flush_factor;
      work.data_lines *= costs.flush_factor;
      work.captured_lines = mode.tracks_allocations ? shape.captured_lines : 0;
      work.outside = costs.outside;
    }
  }
  lines_ = numbers.size();
}

}  // namespace perdure::scale
