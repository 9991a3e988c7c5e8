#include "options.h"

#include <map>

#include <unistd.h>

namespace perdure::benchmarks {

namespace {
constexpr std::size_t most_threads = 1024;
}

void Options::add_to(CLI::App& app, const std::vector<std::string>& presets) {
  preset = presets.front();
  app.add_option("--preset", preset, "parameters of a publication or a standard")
      ->check(CLI::IsMember(presets))
      ->capture_default_str();
  app.add_option("--threads", threads, "threads that run transactions")
      ->check(CLI::Range(std::size_t{1}, most_threads))
      ->capture_default_str();
  auto* duration =
      app.add_option("--seconds", seconds, "time to measure for")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--transactions", transactions, "transactions to measure, of all threads together, instead of a time")
      ->check(CLI::PositiveNumber)
      ->excludes(duration);
  app.add_option("--rate", rate,
                 "transactions to begin each second, of all threads together, at even intervals (default: as many as "
                 "they can); latency then counts from when each should have begun")
      ->check(CLI::PositiveNumber);
  app.add_option("--warmup", warmup, "seconds to run before measuring")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--seed", seed, "seed of every random choice")->capture_default_str();
  app.add_option("--trial", trial, "number of the trial, copied into the result")->capture_default_str();
  auto* file =
      app.add_option("--pool", pool, "the pool's file, kept afterwards (default: a temporary file on /dev/shm)");
  app.add_flag("--keep", keep, "keep the temporary file");
  app.add_flag("--reopen", reopen, "only open the pool of an earlier run and check its invariants")->needs(file);
  app.add_flag("--pin", pin, "pin each thread to a core");
  app.add_flag("--progress", progress, "say on standard error when each phase begins");
  const std::map<std::string, Format> formats{{"text", Format::text}, {"csv", Format::csv}, {"json", Format::json}};
  app.add_option("--format", format, "how the result is written")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case))
      ->option_text("text|csv|json");
}

std::string find_option(int argc, char** argv, const std::string& option) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::string value;
  app.add_option(option, value);
  app.parse(argc, argv);
  return value;
}

std::filesystem::path temporary_pool(const std::string& benchmark) {
  const std::filesystem::path memory = "/dev/shm";
  const auto directory = std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  return directory / ("perdure-" + benchmark + "-" + std::to_string(getpid()) + ".pool");
}

}  // namespace perdure::benchmarks
