#ifndef PERDURE_BENCHMARKS_OPTIONS_H
#define PERDURE_BENCHMARKS_OPTIONS_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "perdure/open_report.h"

namespace CLI {
class App;
}

namespace perdure::benchmarks {

enum class Format { text, csv, json };

/// What every benchmark can be told on its command line.
struct Options {
  std::string preset;
  std::size_t threads = 1;
  double seconds = 1;
  std::uint64_t transactions = 0;  // of all threads together; 0: as many as fit in `seconds`
  double rate = 0;                 // transactions a second, of all threads together; 0: as many as they can
  double warmup = 0.2;             // seconds that are run before the clock starts
  std::uint64_t seed = 1;
  unsigned trial = 0;
  std::filesystem::path pool;       // empty: a temporary file
  std::filesystem::path directory;  // of the temporary file; empty: /dev/shm
  bool keep = false;
  bool reopen = false;
  bool pin = false;
  bool progress = false;
  Format format = Format::text;
  OpenOptions opening{.accept_volatile = true};

  /// What is not as pools are opened by default: " relaxed log=8MiB".
  std::string describe_opening() const;

  /// Whether the pool is a file of our own, to be removed at the end.
  bool pool_is_temporary() const { return pool.empty(); }
};

/// Reads the command line: the options of every benchmark into `options`, and what `add_options` binds.
/// \param description  of the program, for --help.
/// \param presets      the names that `--preset` takes; the first is the default.
/// \returns the exit status when the program is to end: after --help, or an error, of which it has been told.
std::optional<int> read_command_line(int argc, char** argv, const std::string& description,
                                     const std::vector<std::string>& presets, Options& options,
                                     const std::function<void(CLI::App&)>& add_options);

/// The same for a program that has only options of its own, which `app` binds.
std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv);

/// The value of one option alone: what is needed before the others can be read (a preset sets what they override), or
/// says which workload reads them. Empty if it is not given.
std::string find_option(int argc, char** argv, const std::string& option);

/// A file that does not exist yet.
/// \param directory  where; empty: on /dev/shm, or where that is missing in the directory for temporary files.
std::filesystem::path temporary_pool(const std::string& benchmark, const std::filesystem::path& directory = {});

}  // namespace perdure::benchmarks

#endif
