#ifndef PERDURE_SIMULATE_SITES_H
#define PERDURE_SIMULATE_SITES_H

#include <cstdint>
#include <map>
#include <vector>

#include "simulate/trace.h"

namespace perdure::simulate {

/// A place in the program that flushes or fences, and how much of that could have been left out without any effect.
struct Site {
  Event::Kind kind;
  const void* address;  ///< the return address of the call
  std::uint64_t times;
  std::uint64_t clean;     ///< flushes of a line that held nothing new; fences with nothing flushed before
  std::uint64_t repeated;  ///< flushes of a line that the same thread had flushed since its last fence
};

/// All places that a trace comes by.
class Sites {
 public:
  void add(const Trace& trace);
  std::vector<Site> all() const;

 private:
  std::map<const void*, Site> sites_;
};

}  // namespace perdure::simulate

#endif
