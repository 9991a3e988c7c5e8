#include "result.h"

#include <cstdlib>
#include <iomanip>
#include <ostream>
#include <string_view>

#include <nlohmann/json.hpp>

#include "machine.h"
#include "open_state.h"

namespace perdure::benchmarks {

namespace {

using Fields = nlohmann::ordered_json;

std::string medium_name(const Result& result) {
  switch (result.opened.medium) {
    case Medium::persistent_memory:
      return "persistent memory";
    case Medium::disk:
    case Medium::page_cache:
      return result.file_system;
    case Medium::volatile_memory:
      return "memory";
  }
  return "unknown";
}

std::string domain_name(const Result& result) {
  if (!result.durable) return "none";
  const char* chosen = std::getenv("PERDURE_DOMAIN");
  return chosen ? chosen : "detected";
}

void add_circumstances(Fields& fields, const Result& result) {
  const Options& options = result.options;
  const auto mode = result.library.rfind('_');
  fields["benchmark"] = result.benchmark;
  fields["preset"] = options.preset;
  fields["parameters"] = result.parameters;
  fields["library"] = result.library;
  fields["algorithm"] = result.library.substr(0, mode);
  fields["mode"] = mode == std::string::npos ? "yardstick" : result.library.substr(mode + 1);
  fields["durable"] = result.durable;
  fields["domain"] = domain_name(result);
  fields["medium"] = medium_name(result);
  fields["threads"] = options.threads;
  fields["rate"] = options.rate;
  fields["cores"] = usable_cores();
  fields["oversubscribed"] = result.running_threads > usable_cores();
  fields["pinned"] = options.pin;
  fields["seed"] = options.seed;
  fields["trial"] = options.trial;
  fields["processor"] = processor_model();
  fields["kernel"] = kernel_version();
  fields["compiler"] = compiler_version();
}

void add_measurements(Fields& fields, const Measurement& measured) {
  constexpr double nanoseconds_per_microsecond = 1000;
  fields["transactions"] = measured.transactions;
  fields["rolled_back"] = measured.rolled_back;
  fields["seconds"] = measured.seconds;
  fields["processor_seconds"] = measured.processor_seconds;
  fields["throughput"] = measured.seconds > 0 ? static_cast<double>(measured.transactions) / measured.seconds : 0.0;
  fields["latency_p50_us"] = measured.latency.percentile(0.5) / nanoseconds_per_microsecond;
  fields["latency_p99_us"] = measured.latency.percentile(0.99) / nanoseconds_per_microsecond;
  fields["latency_p999_us"] = measured.latency.percentile(0.999) / nanoseconds_per_microsecond;
  fields["latency_samples"] = measured.latency.samples();
  fields["volatile_bytes"] = measured.volatile_bytes;
}

void add_statistics(Fields& fields, const Statistics& statistics) {
  fields["commits"] = statistics.commits;
  fields["read_only_commits"] = statistics.read_only_commits;
  fields["aborts_locked"] = statistics.aborts_locked;
  fields["aborts_validation"] = statistics.aborts_validation;
  fields["aborts_exception"] = statistics.aborts_exception;
  fields["flushes"] = statistics.flushes;
  fields["fences"] = statistics.fences;
  fields["log_bytes"] = statistics.log_bytes;
  fields["retired_lines"] = statistics.retired_lines;
  fields["redo_lookups"] = statistics.redo_lookups;
  fields["redo_hits"] = statistics.redo_hits;
  fields["validations"] = statistics.validations;
  fields["extensions"] = statistics.extensions;
  fields["hourglass_turns"] = statistics.hourglass_turns;
  fields["quiescence_waits"] = statistics.quiescence_waits;
  fields["quiescence_nanoseconds"] = statistics.quiescence_nanoseconds;
  fields["allocations"] = statistics.allocations;
  fields["frees"] = statistics.frees;
}

void add_pool(Fields& fields, const Result& result) {
  fields["population_seconds"] = result.population_seconds;
  fields["pool_bytes"] = result.pool_bytes;
  fields["stored_bytes"] = result.stored_bytes;
  fields["opened"] = state_name(result.opened.state);
  fields["transactions_replayed"] = result.opened.transactions_replayed;
  fields["transactions_rolled_back"] = result.opened.transactions_rolled_back;
  fields["blocks_reclaimed"] = result.opened.blocks_reclaimed;
  fields["open_milliseconds"] = result.opened.milliseconds;
  fields["invariants"] = "hold";  // a run in which one is broken writes no result
}

Fields fields_of(const Result& result) {
  Fields fields;
  add_circumstances(fields, result);
  add_measurements(fields, result.measured);
  add_statistics(fields, result.measured.statistics);
  add_pool(fields, result);
  return fields;
}

// RFC 4180: a field is quoted, and a quote in it doubled, when it could be mistaken for the frame.
std::string csv_cell(const Fields& value) {
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char character : text) quoted.append(character == '"' ? 2 : 1, character);
  return quoted + '"';
}

void write_csv(std::ostream& out, const Fields& fields) {
  std::string names;
  std::string cells;
  for (const auto& [name, value] : fields.items()) {
    names += (names.empty() ? "" : ",") + name;
    cells += (cells.empty() ? "" : ",") + csv_cell(value);
  }
  out << names << '\n' << cells << '\n';
}

void write_text(std::ostream& out, const Fields& fields) {
  for (const auto& [name, value] : fields.items()) {
    out << std::left << std::setw(24) << name << (value.is_string() ? value.get<std::string>() : value.dump()) << '\n';
  }
}

}  // namespace

void write(std::ostream& out, const Result& result, Format format) {
  const Fields fields = fields_of(result);
  switch (format) {
    case Format::text:
      write_text(out, fields);
      break;
    case Format::csv:
      write_csv(out, fields);
      break;
    case Format::json:
      out << fields.dump() << '\n';
      break;
  }
  out.flush();
}

}  // namespace perdure::benchmarks
