#ifndef PERDURE_SIMULATE_SYMBOLS_H
#define PERDURE_SIMULATE_SYMBOLS_H

#include <string>
#include <vector>

namespace perdure::simulate {

/// A function that an address in the program lies in, and where in it.
struct Frame {
  std::string function;  ///< without parameters
  std::string path;
  std::string line;

  std::string file() const { return path.substr(path.rfind('/') + 1); }
  std::string place() const { return file() + ":" + line; }
  /// Every flush and fence stands in it: who calls it is of interest.
  bool is_of_domain() const { return path.find("libs/persist/") != std::string::npos; }
};

/// The functions that the call which returns to `address` stands in, inlined ones first; none if there is no symbolizer
/// or no debug information.
std::vector<Frame> frames_at(const void* address);

}  // namespace perdure::simulate

#endif
