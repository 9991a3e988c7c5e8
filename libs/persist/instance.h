#ifndef PERDURE_PERSIST_INSTANCE_H
#define PERDURE_PERSIST_INSTANCE_H

#include <cstddef>

namespace perdure {

/// A library's row in the table of libraries (algorithms/libraries.json). Nobody reads anything from its name.
struct LibraryFacts {
  const char* algorithm = "";   ///< "orec_lazy"
  const char* mode = "";        ///< "ip"
  bool durable = false;         ///< false: pools are volatile memory
  bool undo_log = false;        ///< memory is changed in place; otherwise at commit
  bool replicas = false;        ///< memory is changed in a second copy, which counts after the commit
  bool helps = false;           ///< threads make updates side by side, and those of others
  bool records = false;         ///< a commit is one record that vouches for itself
  bool chunks = false;          ///< pool memory is logged in chunks, not to the byte
  bool doomed_readers = false;  ///< a transaction may run on after a conflicting one has committed
  bool conflicts = false;       ///< transactions run at once, and may have to be repeated
  bool variant = false;         ///< differs from the row by switches
};

/// The optimisations of PACT'19, section IV, that a library has (algorithms/mode.h).
struct Optimisations {
  bool last_allocation_tracking = false;
  bool fence_pipelining = false;
  bool deferred_flushing = false;
  bool coalesced_flushes = false;
  bool combined_activation = false;
  bool immediate_reuse = false;
  bool private_stack = false;
};

/// What code that is compiled once must know of the library it is linked into. Each library defines one `instance`
/// (algorithms/instance.cc).
struct Instance {
  const char* name;             ///< "orec_lazy_ip"
  bool durable;                 ///< false: pools are volatile memory
  bool shades;                  ///< transactions may run beside a mark (alloc/mark.h)
  std::size_t granularity;      ///< blocks are aligned to and padded to this many bytes: 32 (or 16, 64)
  bool locks_in_hardware{};     ///< commits take their locks in hardware transactions, where the processor has them
  bool runs_in_hardware{};      ///< and transactions run there up to that
  bool waits_for_retirement{};  ///< a commit waits until no record up to its own can be replayed
  LibraryFacts facts{};
  Optimisations optimisations{};
};

extern const Instance instance;

}  // namespace perdure

#endif
