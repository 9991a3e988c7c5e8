// Simulates a library on more cores than there are (docs/benchmarks.md). Costs come on standard input (costs.h).
#include <CLI/CLI.hpp>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "calibration.h"

namespace perdure::scale {
namespace {

struct Options {
  std::string trace;
  std::size_t streams = 1;
  std::vector<unsigned> threads = {1};
  double transaction = 0;
  double assumed_fence = 0;
  double assumed_shared_flush = 0;
  Experiment experiment;
};

/// What an average transaction does, as lines of a name and a number.
void print_summary(const std::vector<Stream>& streams) {
  double transactions = 0, reads = 0, read_set = 0, writes = 0, captured = 0, read_stripes = 0, chunks = 0, words = 0;
  std::vector<float> outside;
  for (const Stream& stream : streams) {
    transactions += static_cast<double>(stream.transactions.size());
    for (const TransactionShape& shape : stream.transactions) {
      reads += shape.reads;
      read_set += shape.read_set;
      writes += shape.writes;
      captured += shape.captured_lines;
      outside.push_back(shape.outside);
    }
    for (const Access& access : stream.accesses) {
      read_stripes += access.is_write == 0;
      chunks += access.is_write;
      words += access.is_write == 0 ? 0 : std::popcount(access.words);
    }
  }
  const auto middle = outside.begin() + static_cast<std::ptrdiff_t>(outside.size() / 2);
  std::nth_element(outside.begin(), middle, outside.end());  // a thread is interrupted now and then
  std::printf("reads %g\nread_set %g\nwrites %g\nread_stripes %g\nchunks %g\nwords %g\ncaptured_lines %g\noutside %g\n",
              reads / transactions, read_set / transactions, writes / transactions, read_stripes / transactions,
              chunks / transactions, words / transactions, captured / transactions, static_cast<double>(*middle));
}

void print_simulated(Options& options, const std::vector<Stream>& streams) {
  Experiment& experiment = options.experiment;
  Costs costs = read_costs(std::cin);
  costs = calibrate(costs, experiment, streams, options.transaction);
  // The body has been found with what was measured: other memory does not change it.
  costs.fence = std::max(costs.fence, options.assumed_fence);
  costs.shared_flush = options.assumed_shared_flush;
  std::printf("threads,throughput,aborts,hourglass_turns,body,running,committing,retiring,waiting,in_vain\n");
  for (const unsigned threads : options.threads) {
    experiment.threads = threads;
    experiment.duration = duration_of(experiment, streams, options.transaction);
    const Outcome outcome = simulate(experiment, streams, costs);
    const TimeSpent& spent = outcome.spent;
    std::printf("%u,%.1f,%.5f,%.6f,%.1f,%.0f,%.0f,%.0f,%.0f,%.0f\n", threads, outcome.transactions_per_second,
                outcome.aborts_per_commit, outcome.hourglass_turns_per_commit, costs.body, spent.running,
                spent.committing, spent.retiring, spent.waiting, spent.in_vain);
    std::fflush(stdout);
  }
}

int run(int argc, char** argv) {
  Options options;
  CLI::App app("Simulates a library on more cores than there are.");
  app.require_subcommand(1);
  app.add_option("--trace", options.trace, "what RECORD_TRACE wrote")->required();
  app.add_option("--streams", options.streams, "how many of its threads ran the workload")->required();
  const CLI::App* const summary = app.add_subcommand("summary", "what an average transaction does");
  CLI::App* const simulated = app.add_subcommand("simulate", "throughput and aborts, for some numbers of threads");
  simulated->add_option("--algorithm", options.experiment.algorithm)->required();
  simulated->add_option("--mode", options.experiment.mode)->required();
  simulated->add_option("--threads", options.threads)->required();
  simulated->add_option("--transaction", options.transaction, "nanoseconds, measured with one thread")
      ->required()
      ->check(CLI::PositiveNumber);
  simulated->add_option("--fence-nanoseconds", options.assumed_fence, "of other memory, assumed; at least as measured")
      ->check(CLI::NonNegativeNumber);
  simulated
      ->add_option("--flush-nanoseconds-shared", options.assumed_shared_flush,
                   "that a flushed line takes of memory that all cores share, assumed")
      ->check(CLI::NonNegativeNumber);
  simulated->add_flag("--published-retirement", options.experiment.published_retirement,
                      "records are retired as in the paper, in no order; with that a crash can lose a transaction");
  simulated->add_option("--seed", options.experiment.seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  const std::vector<Stream> streams = read_trace(options.trace, options.streams);
  if (summary->parsed())
    print_summary(streams);
  else
    print_simulated(options, streams);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace perdure::scale

int main(int argc, char** argv) {
  try {
    return perdure::scale::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "scale_model: " << error.what() << '\n';
    return EXIT_FAILURE;
  }
}
