#ifndef PERDURE_SIMULATE_TRACE_H
#define PERDURE_SIMULATE_TRACE_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perdure::simulate {

/// One thing that a program did to its pools, or said about them.
struct Event {
  enum class Kind : std::uint8_t {
    store,        ///< `address`: an aligned 8-byte word; `value`: what the whole word is afterwards
    flush,        ///< `address`: a line; `value`: hash of what it holds, or 0 where that is not decided
    fence,        ///<
    resize,       ///< `address`: a pool's first byte; `value`: the file's size from now on
    sync,         ///< `address`: a pool's first byte; its size is durable, and so is what was cleared
    begin,        ///< `address`: a client, which begins a piece of work; `value`: its number
    acknowledge,  ///< `address`: a client, which takes a piece of work for durable; `value`: its number
    enter,        ///< a transaction begins; `site`: the CallStack from where
    leave,        ///< and ends
    clear,        ///< `address`: a line that lies in a new hole of the file, or was cut off: it is zero
  };
  Kind kind;
  std::uint8_t thread;
  std::uintptr_t address;
  std::uint64_t value;
  const void* site;  ///< the return address of a flush or a fence: where in the program it stands; or as said above
};

using Trace = std::vector<Event>;

}  // namespace perdure::simulate

#endif
