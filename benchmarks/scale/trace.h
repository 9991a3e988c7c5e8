#ifndef PERDURE_BENCHMARKS_SCALE_TRACE_H
#define PERDURE_BENCHMARKS_SCALE_TRACE_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

/// What the transactions of a workload did, as recorder/ writes it and the model (model/) runs it again.
namespace perdure::scale {

/// What conflicts: a stripe of 32 bytes, as in the tables of ownership records and byte locks, and in the filters.
inline constexpr std::size_t stripe_bytes = 32;

/// The first read of a stripe in a transaction, or the first write.
struct Access {
  std::uint32_t stripe;   ///< address / stripe_bytes, from the first byte that a pool can have
  std::uint8_t is_write;  ///< 0 or 1
  std::uint8_t words;     ///< the 8-byte words of the stripe that the transaction reads (writes), one bit each
  std::uint16_t repeats;  ///< accesses since the one before this that touched nothing new, at most 65,535
};
static_assert(sizeof(Access) == 8);

struct TransactionShape {
  std::uint32_t accesses;        ///< entries of `Access`
  std::uint32_t reads;           ///< all reads of pool memory, also those that touch nothing new
  std::uint32_t writes;          ///< all writes to it
  std::uint32_t read_set;        ///< reads that ownership records are noted of: see algorithms/orec_protocol.h
  std::uint32_t captured_lines;  ///< of the blocks that it allocated
  float outside;                 ///< nanoseconds since the thread's transaction before
};
static_assert(sizeof(TransactionShape) == 24);

/// The transactions of one thread, in their order.
struct Stream {
  std::vector<TransactionShape> transactions;
  std::vector<Access> accesses;  ///< of all transactions, one after the other
};

/// In a file, a stream is a StreamHeader, the transactions, and the accesses; streams follow each other in the order in
/// which the threads ended. Numbers are as the processor has them: a trace is read where it was written.
struct StreamHeader {
  static constexpr std::uint64_t right_magic = 0x3265636172545044;  // "PDTrace2"
  std::uint64_t magic;
  std::uint64_t transactions;
  std::uint64_t accesses;
};

/// The last `streams` streams of a trace: those before are of the threads that populated the pool.
/// \throws std::runtime_error if there are fewer, or the file is none or is cut off.
std::vector<Stream> read_trace(const std::filesystem::path& path, std::size_t streams);

}  // namespace perdure::scale

#endif
