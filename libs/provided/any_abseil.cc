// Clones of what Abseil's hash tables keep in its library, for the version that Debian has. Compiled with the plugin.
#include <cstddef>

#include "perdure/attributes.h"

namespace perdure::provided {

/// The states of places, from before a table is rehashed in place: what is free or deleted becomes empty, what is full
/// becomes deleted; behind the end lie copies of the first ones, which are looked at in groups.
[[perdure::implements("_ZN4absl7debian318container_internal37ConvertDeletedToEmptyAndFullToDeletedEPNS1_6ctrl_tEm")]]
void mark_for_rehash(signed char* states, std::size_t capacity) {
  constexpr signed char empty = -128, deleted = -2, sentinel = -1;
  constexpr std::size_t copied = 15;
  for (std::size_t i = 0; i < capacity; ++i) states[i] = states[i] < 0 ? empty : deleted;
  for (std::size_t i = 0; i < copied; ++i) states[capacity + 1 + i] = states[i];
  states[capacity] = sentinel;
}

}  // namespace perdure::provided
