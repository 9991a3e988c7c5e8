#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "perdure/statistics.h"
#include "persist/environment.h"
#include "stats/counters.h"

namespace perdure::stats {
namespace {

struct Column {
  const char* name;
  std::uint64_t Statistics::* value;
};

constexpr std::array columns = {
    Column{"commits", &Statistics::commits},
    Column{"read_only_commits", &Statistics::read_only_commits},
    Column{"aborts_locked", &Statistics::aborts_locked},
    Column{"aborts_validation", &Statistics::aborts_validation},
    Column{"aborts_exception", &Statistics::aborts_exception},
    Column{"waits", &Statistics::waits},
    Column{"flushes", &Statistics::flushes},
    Column{"fences", &Statistics::fences},
    Column{"log_bytes", &Statistics::log_bytes},
    Column{"retired_lines", &Statistics::retired_lines},
    Column{"redo_lookups", &Statistics::redo_lookups},
    Column{"redo_hits", &Statistics::redo_hits},
    Column{"validations", &Statistics::validations},
    Column{"extensions", &Statistics::extensions},
    Column{"hourglass_turns", &Statistics::hourglass_turns},
    Column{"quiescence_waits", &Statistics::quiescence_waits},
    Column{"quiescence_nanoseconds", &Statistics::quiescence_nanoseconds},
    Column{"allocations", &Statistics::allocations},
    Column{"frees", &Statistics::frees},
    Column{"serial_transactions", &Statistics::serial_transactions},
    Column{"solitudes", &Statistics::solitudes},
    Column{"hardware_commits", &Statistics::hardware_commits},
    Column{"hardware_aborts", &Statistics::hardware_aborts},
    Column{"bytes_given_back", &Statistics::bytes_given_back},
    Column{"replica_turns", &Statistics::replica_turns},
    Column{"commits_for_others", &Statistics::commits_for_others},
    Column{"replicas", &Statistics::replicas},
    Column{"replica_bytes", &Statistics::replica_bytes},
};

void print_table(const Statistics& statistics) {
  std::fprintf(stderr, "perdure statistics (%s)\n", library_name());
  for (const Column& column : columns)
    std::fprintf(stderr, "  %-20s %16llu\n", column.name, static_cast<unsigned long long>(statistics.*column.value));
}

void print_json(const Statistics& statistics) {
  nlohmann::ordered_json json;
  json["library"] = library_name();
  for (const Column& column : columns) json[column.name] = statistics.*column.value;
  std::fprintf(stderr, "%s\n", json.dump().c_str());
}

}  // namespace

void report() {
  using Report = persistence::Environment::Report;
  const Report report = persistence::environment().report;
  if (report == Report::table) print_table(statistics());
  if (report == Report::json) print_json(statistics());
}

}  // namespace perdure::stats
