#ifndef PERDURE_POOL_FOREIGN_FREE_H
#define PERDURE_POOL_FOREIGN_FREE_H

/// Code that is not compiled with the plugin, such as the C library's own, may be given memory of a pool and free or
/// resize it. The C library then ends the program, with words that do not say what has happened.
namespace perdure::pool {

/// From now on it is said, by a handler of SIGABRT, where the program has none of its own. `free` itself is not
/// replaced: it belongs to the C library, to a sanitizer, or to an allocator that the user brings along.
void explain_foreign_frees();

}  // namespace perdure::pool

#endif
