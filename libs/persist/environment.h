#ifndef PERDURE_PERSIST_ENVIRONMENT_H
#define PERDURE_PERSIST_ENVIRONMENT_H

#include <string>

namespace perdure::persistence {

/// The settings that a user gives by environment variables. Read once, at the first use.
struct Environment {
  enum class Domain { detect, adr, eadr };
  enum class Report { none, table, json };

  Domain domain = Domain::detect;  ///< PERDURE_DOMAIN=adr|eadr
  Report report = Report::none;    ///< PERDURE_STATS=table|json: statistics on standard error at exit
  bool verbose = false;            ///< PERDURE_VERBOSE=1: say what opening a pool found
  bool checks_go_on = false;       ///< PERDURE_CHECKED=report: checked programs go on after a mistake was reported
  std::string problem;             ///< not empty: an unknown variable or value, and the remedy
};

const Environment& environment();

/// \throws Error when the environment has a PERDURE_ variable or value that does not exist: a misspelled setting
/// must not be ignored in silence.
void require_valid_environment();

}  // namespace perdure::persistence

#endif
