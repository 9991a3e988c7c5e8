#ifndef PERDURE_TOOLS_POOL_FILE_H
#define PERDURE_TOOLS_POOL_FILE_H

#include <filesystem>
#include <span>
#include <string>

#include "open/open_pool.h"
#include "perdure/roots.h"

namespace perdure::tools {

/// The pool, open for reading: what a crash has left is recovered in memory only.
inline opening::OpenPool open_for_reading(const std::filesystem::path& path) {
  return opening::OpenPool(path, {.read_only = true});
}

/// "clean" or "crashed": how the last user left a pool that has been opened.
inline const char* spell_state(const OpenReport& report) {
  return report.state == OpenReport::State::recovered ? "crashed" : "clean";
}

/// \throws PoolError (Kind::no_such_root)
inline const roots::Root& find_root(const opening::OpenPool& pool, const std::string& name) {
  for (const roots::Root& root : pool.root_table().roots)
    if (root.object != nullptr && name == root.name.data()) return root;
  roots::detail::refuse_missing(pool.root_table(), name);
}

/// The root's object. An open pool's roots are sound: it lies in a block of the pool.
inline std::span<const std::byte> bytes_of(const roots::Root& root) {
  return {static_cast<const std::byte*>(root.object), root.size};
}

}  // namespace perdure::tools

#endif
