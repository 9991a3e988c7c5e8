#ifndef PERDURE_TESTS_HOSTILE_DAMAGE_H
#define PERDURE_TESTS_HOSTILE_DAMAGE_H

#include <random>
#include <string>
#include <vector>

namespace perdure::testing {

/// A pool's file as bytes, and headers that it had earlier.
struct Specimen {
  std::string bytes;
  std::vector<std::string> old_headers;  ///< one copy of each
};

struct Damaged {
  std::string bytes;
  std::string what;     ///< was done, for messages
  bool spares_objects;  ///< only what has checksums was changed, so what is accepted must be as it was
};

/// Does one of many things to the file, drawn by lot.
Damaged damage(const Specimen& specimen, std::mt19937_64& random);

}  // namespace perdure::testing

#endif
