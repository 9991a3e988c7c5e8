#ifndef PERDURE_BENCHMARKS_SCALE_CALIBRATION_H
#define PERDURE_BENCHMARKS_SCALE_CALIBRATION_H

#include "simulation.h"

namespace perdure::scale {

/// The costs with the body that makes one simulated thread as fast as the measured one; with none if the other costs
/// alone take longer.
/// \param transaction  nanoseconds, measured with one thread.
Costs calibrate(Costs costs, Experiment experiment, const std::vector<Stream>& streams, Time transaction);

/// A simulated time in which `experiment.threads` threads run enough transactions to count, and no more.
Time duration_of(const Experiment& experiment, const std::vector<Stream>& streams, Time transaction);

}  // namespace perdure::scale

#endif
