#include "persist/environment.h"

#include <unistd.h>

#include <string_view>

#include "perdure/error.h"

namespace perdure::persistence {
namespace {

struct Setting {
  std::string_view variable;
  std::string_view values;  // for the message
  bool (*apply)(Environment&, std::string_view value);
};

bool apply_domain(Environment& environment, std::string_view value) {
  if (value == "adr") environment.domain = Environment::Domain::adr;
  if (value == "eadr") environment.domain = Environment::Domain::eadr;
  return environment.domain != Environment::Domain::detect;
}

bool apply_report(Environment& environment, std::string_view value) {
  if (value == "table") environment.report = Environment::Report::table;
  if (value == "json") environment.report = Environment::Report::json;
  return environment.report != Environment::Report::none;
}

bool apply_verbose(Environment& environment, std::string_view value) {
  environment.verbose = value == "1";
  return value == "0" || value == "1";
}

bool apply_checked(Environment& environment, std::string_view value) {
  environment.checks_go_on = value == "report";
  return value == "report" || value == "stop";
}

constexpr Setting settings[] = {
    {"PERDURE_CHECKED", "report or stop", apply_checked},
    {"PERDURE_DOMAIN", "adr or eadr", apply_domain},
    {"PERDURE_STATS", "table or json", apply_report},
    {"PERDURE_VERBOSE", "0 or 1", apply_verbose},
};

std::string known_variables() {
  std::string names;
  for (const Setting& setting : settings) names += (names.empty() ? "" : ", ") + std::string(setting.variable);
  return names;
}

void apply(Environment& environment, std::string_view variable, std::string_view value) {
  for (const Setting& setting : settings) {
    if (setting.variable != variable) continue;
    if (!setting.apply(environment, value))
      environment.problem = "perdure: the environment variable " + std::string(variable) + " is '" +
                            std::string(value) + "'; set it to " + std::string(setting.values) + ", or unset it";
    return;
  }
  environment.problem = "perdure: there is no setting " + std::string(variable) + " (in the environment); unset it, " +
                        "or use one of " + known_variables();
}

Environment read_environment() {
  Environment result;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (!text.starts_with("PERDURE_")) continue;
    const auto equals = text.find('=');
    if (equals != std::string_view::npos) apply(result, text.substr(0, equals), text.substr(equals + 1));
  }
  return result;
}

}  // namespace

const Environment& environment() {
  static const Environment result = read_environment();
  return result;
}

void require_valid_environment() {
  if (!environment().problem.empty()) throw Error(environment().problem);
}

}  // namespace perdure::persistence
