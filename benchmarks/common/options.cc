#include "options.h"

#include <map>

#include <unistd.h>

#include <CLI/CLI.hpp>

namespace perdure::benchmarks {
namespace {

constexpr std::size_t most_threads = 1024;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

void bind_opening(CLI::App& app, OpenOptions& opening) {
  const std::map<std::string, Durability> survived{
      {"automatic", Durability::automatic}, {"power", Durability::power}, {"process", Durability::process}};
  app.add_option("--durability", opening.durability, "what transactions survive (default: what the medium can)")
      ->transform(CLI::CheckedTransformer(survived))
      ->option_text("automatic|power|process");
  const std::map<std::string, Acknowledgement> moments{{"sync", Acknowledgement::sync},
                                                       {"relaxed", Acknowledgement::relaxed}};
  app.add_option("--acknowledgement", opening.acknowledgement,
                 "on a disk: a transaction ends when it is durable, or at once (default: sync)")
      ->transform(CLI::CheckedTransformer(moments))
      ->option_text("sync|relaxed");
  app.add_option_function<std::size_t>(
         "--log-mebibytes", [&opening](std::size_t count) { opening.log_bytes = count * mebibyte; },
         "on a disk: the size of the log")
      ->check(CLI::PositiveNumber);
  constexpr std::size_t most_copies = 32;
  app.add_option("--copies", opening.copies, "in the mode twin: copies of what is written (default: 2)")
      ->check(CLI::Range(std::size_t{2}, most_copies));
}

void bind(CLI::App& app, const std::vector<std::string>& presets, Options& options) {
  options.preset = presets.front();
  app.add_option("--preset", options.preset, "parameters of a publication or a standard")
      ->check(CLI::IsMember(presets))
      ->capture_default_str();
  app.add_option("--threads", options.threads, "threads that run transactions")
      ->check(CLI::Range(std::size_t{1}, most_threads))
      ->capture_default_str();
  auto* duration = app.add_option("--seconds", options.seconds, "time to measure for")
                       ->check(CLI::PositiveNumber)
                       ->capture_default_str();
  app.add_option("--transactions", options.transactions,
                 "transactions to measure, of all threads together, instead of a time")
      ->check(CLI::PositiveNumber)
      ->excludes(duration);
  app.add_option("--rate", options.rate,
                 "transactions to begin each second, of all threads together, at even intervals (default: as many as "
                 "they can); latency then counts from when each should have begun")
      ->check(CLI::PositiveNumber);
  app.add_option("--warmup", options.warmup, "seconds to run before measuring")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "seed of every random choice")->capture_default_str();
  app.add_option("--trial", options.trial, "number of the trial, copied into the result")->capture_default_str();
  auto* file = app.add_option("--pool", options.pool,
                              "the pool's file, kept afterwards (default: a temporary file on /dev/shm)");
  app.add_option("--directory", options.directory, "where the temporary file is made (default: /dev/shm)")
      ->check(CLI::ExistingDirectory)
      ->excludes(file);
  bind_opening(app, options.opening);
  app.add_flag("--keep", options.keep, "keep the temporary file");
  app.add_flag("--reopen", options.reopen, "only open the pool of an earlier run and check its invariants")
      ->needs(file);
  app.add_flag("--pin", options.pin, "pin each thread to a core");
  app.add_flag("--progress", options.progress, "say on standard error when each phase begins");
  const std::map<std::string, Format> formats{{"text", Format::text}, {"csv", Format::csv}, {"json", Format::json}};
  app.add_option("--format", options.format, "how the result is written")
      ->transform(CLI::CheckedTransformer(formats, CLI::ignore_case))
      ->option_text("text|csv|json");
}

}  // namespace

std::string Options::describe_opening() const {
  std::string text;
  if (opening.durability == Durability::power) text += " power";
  if (opening.durability == Durability::process) text += " process";
  if (opening.acknowledgement == Acknowledgement::relaxed) text += " relaxed";
  if (opening.log_bytes != 0) text += " log=" + std::to_string(opening.log_bytes / mebibyte) + "MiB";
  return text;
}

std::optional<int> read_command_line(int argc, char** argv, const std::string& description,
                                     const std::vector<std::string>& presets, Options& options,
                                     const std::function<void(CLI::App&)>& add_options) {
  CLI::App app(description);
  bind(app, presets, options);
  add_options(app);
  return parse_command_line(app, argc, argv);
}

std::optional<int> parse_command_line(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  return std::nullopt;
}

std::string find_option(int argc, char** argv, const std::string& option) {
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::string value;
  app.add_option(option, value);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError&) {
    return {};  // `read_command_line` will say what is wrong
  }
  return value;
}

std::filesystem::path temporary_pool(const std::string& benchmark, const std::filesystem::path& directory) {
  const auto name = "perdure-" + benchmark + "-" + std::to_string(getpid()) + ".pool";
  if (!directory.empty()) return directory / name;
  const std::filesystem::path memory = "/dev/shm";
  return (std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path()) / name;
}

}  // namespace perdure::benchmarks
