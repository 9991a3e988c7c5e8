#ifndef PERDURE_BENCHMARKS_PROGRAM_H
#define PERDURE_BENCHMARKS_PROGRAM_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "footprint.h"
#include "measure.h"
#include "temporary_file.h"

namespace perdure::benchmarks {

/// The `main` of a benchmark: reads the options, opens the pool, populates it, measures, checks the invariants and
/// writes the result to standard output.
/// \returns the exit status: 0; 1, with a message on standard error, if anything went wrong or an invariant is broken.
template <Workload W>
class Program {
 public:
  static int run(int argc, char** argv) {
    try {
      return Program().run_or_throw(argc, argv);
    } catch (const std::exception& error) {
      std::cerr << W::name << " (" << library_name() << "): " << error.what() << '\n';
    }
    return EXIT_FAILURE;
  }

 private:
  int run_or_throw(int argc, char** argv) {
    if (const auto status = read_options(argc, argv)) return *status;
    refuse_what_cannot_work();
    const auto path = options_.pool_is_temporary() ? temporary_pool(W::name, options_.directory) : options_.pool;
    std::optional<TemporaryFile> removed_at_end;
    if (options_.pool_is_temporary() && !options_.keep) removed_at_end.emplace(path);
    return options_.reopen ? check_only(path) : measure(path);
  }

  std::optional<int> read_options(int argc, char** argv) {
    const auto presets = W::Parameters::presets();
    const auto chosen = find_option(argc, argv, "--preset");
    const bool known = std::find(presets.begin(), presets.end(), chosen) != presets.end();
    parameters_ = W::Parameters::preset(known ? chosen : presets.front());
    const auto description = std::string(W::name) + ", a benchmark of Perdure; linked with " + library_name();
    return read_command_line(argc, argv, description, presets, options_,
                             [this](CLI::App& app) { parameters_.add_options(app); });
  }

  void refuse_what_cannot_work() const {
    if (options_.threads > 1 && std::strcmp(library_name(), "seq") == 0) {
      throw std::invalid_argument("the library seq does not synchronise threads; run with --threads 1");
    }
    if (library_lacks_hardware()) {
      throw std::invalid_argument(
          "this processor has no hardware transactions that commit (RTM), and software would be measured in their "
          "place; measure a library without them, or on a processor that has them ('perdure info' says so)");
    }
    if (!options_.reopen) return;
    if (!library_is_durable()) {
      throw std::invalid_argument("--reopen: this library keeps pools in volatile memory; use a durable one");
    }
    if (!std::filesystem::exists(options_.pool)) {
      throw std::invalid_argument(options_.pool.string() + ": no such file; name the --pool of an earlier run");
    }
  }

  int measure(const std::filesystem::path& path) {
    Result result = new_result(path);
    {
      auto pool = open(path, result);
      W workload(pool, parameters_, options_.threads);
      note_opening(workload, result);
      populate(workload, result);
      say("measuring");
      result.measured = Race<W>(workload, options_).run();
      say("checking");
      refuse_if_broken(workload);
      result.parameters = workload.parameters().describe() + options_.describe_opening();
    }
    result.pool_bytes = bytes_of(path);
    result.stored_bytes = stored_bytes(path);
    write(std::cout, result, options_.format);
    return EXIT_SUCCESS;
  }

  int check_only(const std::filesystem::path& path) {
    Result result = new_result(path);
    auto pool = open(path, result);
    W workload(pool, parameters_, options_.threads);
    if (!workload.is_populated()) {
      throw std::runtime_error(path.string() + ": holds no data of this benchmark; name the --pool of an earlier run");
    }
    refuse_if_broken(workload);
    result.opened = pool.wait_for_mark();
    note_opening(workload, result);
    result.parameters = workload.parameters().describe() + options_.describe_opening();
    result.pool_bytes = bytes_of(path);
    result.stored_bytes = stored_bytes(path);
    write(std::cout, result, options_.format);
    return EXIT_SUCCESS;
  }

  // A volatile library makes no file; a peer may make a folder of them.
  static std::uint64_t bytes_of(const std::filesystem::path& path) {
    if (!std::filesystem::is_directory(path)) {
      return std::filesystem::exists(path) ? std::filesystem::file_size(path) : 0;
    }
    std::uint64_t bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(path)) {
      if (file.is_regular_file()) bytes += file.file_size();
    }
    return bytes;
  }

  Result new_result(const std::filesystem::path& path) const {
    Result result;
    result.benchmark = W::name;
    result.library = library_name();
    result.durable = library_is_durable();
    result.options = options_;
    result.running_threads = running_threads();
    result.file_system = file_system_of(path.has_parent_path() ? path.parent_path() : ".");
    return result;
  }

  std::size_t running_threads() const {
    if constexpr (requires { W::running_threads(options_.threads); }) return W::running_threads(options_.threads);
    if constexpr (requires { parameters_.running_threads(options_.threads); })
      return parameters_.running_threads(options_.threads);
    return options_.threads;
  }

  Pool open(const std::filesystem::path& path, Result& result) const {
    auto pool = Pool::open(path, options_.opening);
    result.opened = pool.report();
    return pool;
  }

  // What opens by itself, and not with the pool.
  static void note_opening(const W& workload, Result& result) {
    if constexpr (requires { workload.opened_after(); }) result.opened.milliseconds = workload.opened_after().count();
  }

  void populate(W& workload, Result& result) {
    if (workload.is_populated()) return;
    say("populating");
    const auto begin = Clock::now();
    workload.begin_population();
    on_every_thread(options_, [&](const Share& share) { workload.populate(share); });
    workload.finish_population();
    result.population_seconds = seconds_since(begin);
  }

  void refuse_if_broken(const W& workload) const {
    const auto violations = workload.violations();
    if (violations.empty()) return;
    std::string message = "the data is broken:";
    for (const auto& violation : violations) message += "\n  " + violation;
    throw std::runtime_error(message);
  }

  void say(const char* phase) const {
    if (options_.progress) std::cerr << phase << '\n';
  }

  Options options_;
  typename W::Parameters parameters_;
};

}  // namespace perdure::benchmarks

#endif
