#ifndef PERDURE_SIMULATE_WHEREABOUTS_H
#define PERDURE_SIMULATE_WHEREABOUTS_H

#include <string>
#include <vector>

#include "simulate/trace.h"

namespace perdure::simulate {

/// How far each thread had come when the crash came after that event of the trace: between which transactions, or in
/// which one, by their places in the program. One line for each thread that runs transactions.
std::vector<std::string> whereabouts(const Trace& trace, std::size_t event);

}  // namespace perdure::simulate

#endif
