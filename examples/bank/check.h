#ifndef PERDURE_EXAMPLES_CHECK_H
#define PERDURE_EXAMPLES_CHECK_H

#include <string>
#include <vector>

#include "bank.h"

/// What is wrong with the bank's books, one a line: money appeared or vanished, or a teller's notes do not end with
/// the last transfer it counted. Call it while no transaction runs.
std::vector<std::string> errors_in(const Bank& bank, long expected_total);

#endif
