#ifndef PERDURE_OPEN_BACKGROUND_MARK_H
#define PERDURE_OPEN_BACKGROUND_MARK_H

#include <optional>

#include "alloc/mark.h"
#include "pool/background_thread.h"

namespace perdure::opening {

/// A mark that works in threads of its own: all cores but one, which is left to the program.
class BackgroundMark {
 public:
  /// Does everything in the calling thread when there can be no other.
  explicit BackgroundMark(alloc::Mark& mark);
  BackgroundMark(const BackgroundMark&) = delete;
  BackgroundMark& operator=(const BackgroundMark&) = delete;

 private:
  std::optional<pool::BackgroundThread> first_;  // starts the others, and sweeps
};

/// The same in the calling thread.
void mark_at_once(alloc::Mark& mark);

}  // namespace perdure::opening

#endif
