#ifndef PERDURE_SIMULATE_VIOLATION_H
#define PERDURE_SIMULATE_VIOLATION_H

#include <stdexcept>
#include <string>

namespace perdure::simulate {

/// Something that must not be found after a crash.
class Violation : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// \throws Violation saying `what` unless `holds`.
inline void require(bool holds, const std::string& what) {
  if (!holds) throw Violation(what);
}

}  // namespace perdure::simulate

#endif
