#ifndef PERDURE_POOL_COPY_ON_WRITE_H
#define PERDURE_POOL_COPY_ON_WRITE_H

namespace perdure::pool {

/// For a file that has just been made, and is empty: its blocks are written in place from now on, where the file system
/// would rather write them elsewhere each time (btrfs). Otherwise storing to space that was reserved would need space,
/// so there might be none; and each write to a log would change metadata. Best effort: where it is refused, running out
/// of space is an error like any other.
void write_in_place(int descriptor) noexcept;

/// Whether the file system writes its blocks elsewhere each time.
bool is_copied_on_write(int descriptor) noexcept;

}  // namespace perdure::pool

#endif
