#ifndef PERDURE_BENCHMARKS_STORES_MIX_H
#define PERDURE_BENCHMARKS_STORES_MIX_H

#include <array>
#include <cstddef>
#include <string_view>

namespace perdure::benchmarks::stores {

/// What a client does in one step.
enum class Operation {
  insert,    ///< puts the key after all that were put
  put,       ///< puts one of the keys that the store began with, or would have
  get,       ///< reads one
  modify,    ///< reads one, and puts it
  erase,     ///< one
  seek,      ///< makes an iterator and moves it to one
  scan,      ///< the same, and reads up to 100 entries from there on
  next,      ///< moves an iterator that it has to the next entry, from the last one to the first
  previous,  ///< the other way round
};

/// Which keys are chosen how often.
enum class Choice {
  uniform,
  zipfian,  ///< some far more often than others (ycsb/zipfian.h)
  latest,   ///< the sooner put, the more rarely
};

/// One workload: operations, and how many in a hundred each has.
struct Mix {
  struct Part {
    Operation operation;
    unsigned percent;
  };

  std::string_view name;
  std::array<Part, 2> parts;
  Choice choice = Choice::uniform;
  bool begins_filled = true;
  std::size_t value_bytes = 100;
  bool has_writer_beside = false;  ///< one more thread, which is not measured, puts keys all the time
};

/// Those of LevelDB's db_bench that are measured, by its names, with its values; and YCSB's core workloads (Cooper et
/// al., "Benchmarking Cloud Serving Systems with YCSB", SoCC'10, Table 2) with records of 1,000 bytes.
constexpr std::size_t large_value = 100'000;
constexpr std::size_t record_bytes = 1000;
constexpr Mix mixes[] = {
    {"fillseq", {{{Operation::insert, 100}}}, Choice::uniform, false},
    {"fillrandom", {{{Operation::put, 100}}}, Choice::uniform, false},
    {"overwrite", {{{Operation::put, 100}}}},
    {"readrandom", {{{Operation::get, 100}}}},
    {"readseq", {{{Operation::next, 100}}}},
    {"readreverse", {{{Operation::previous, 100}}}},
    {"readwhilewriting", {{{Operation::get, 100}}}, Choice::uniform, true, 100, true},
    {"seekrandom", {{{Operation::seek, 100}}}},
    {"deleterandom", {{{Operation::erase, 100}}}},
    {"fill100K", {{{Operation::put, 100}}}, Choice::uniform, false, large_value},
    {"a", {{{Operation::get, 50}, {Operation::put, 50}}}, Choice::zipfian, true, record_bytes},
    {"b", {{{Operation::get, 95}, {Operation::put, 5}}}, Choice::zipfian, true, record_bytes},
    {"c", {{{Operation::get, 100}}}, Choice::zipfian, true, record_bytes},
    {"d", {{{Operation::get, 95}, {Operation::insert, 5}}}, Choice::latest, true, record_bytes},
    {"e", {{{Operation::scan, 95}, {Operation::insert, 5}}}, Choice::zipfian, true, record_bytes},
    {"f", {{{Operation::get, 50}, {Operation::modify, 50}}}, Choice::zipfian, true, record_bytes},
};

constexpr bool has(const Mix& mix, Operation operation) {
  for (const Mix::Part& part : mix.parts) {
    if (part.operation == operation && part.percent > 0) return true;
  }
  return false;
}

}  // namespace perdure::benchmarks::stores

#endif
