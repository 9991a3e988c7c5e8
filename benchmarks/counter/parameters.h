#ifndef PERDURE_BENCHMARKS_COUNTER_PARAMETERS_H
#define PERDURE_BENCHMARKS_COUNTER_PARAMETERS_H

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace perdure::benchmarks::counter {

struct Scale {};

inline constexpr std::int64_t keys = 1000;  // of a thread's own map

enum class Kind : std::uint8_t {
  one,       ///< one word that all threads increment: every transaction conflicts with every other
  plain,     ///< each thread puts elements into a map of its own, and takes them out; the word says how many there are
  commuting  ///< the same, and the counter is a perdure::counter
};

struct Parameters {
  Scale scale;
  Kind kind = Kind::one;

  static std::vector<std::string> presets() { return {"one", "plain", "commuting"}; }
  static Parameters preset(const std::string& name) {
    return {.scale = {}, .kind = name == "one" ? Kind::one : name == "plain" ? Kind::plain : Kind::commuting};
  }
  void add_options(CLI::App&) {}
  std::string describe() const { return "counters=1"; }
};

}  // namespace perdure::benchmarks::counter

#endif
