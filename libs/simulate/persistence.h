#ifndef PERDURE_SIMULATE_PERSISTENCE_H
#define PERDURE_SIMULATE_PERSISTENCE_H

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "simulate/images.h"
#include "simulate/line.h"
#include "simulate/trace.h"

namespace perdure::simulate {

/// A crash state: what each line may hold of which it is not certain that it holds what the image does; likewise for
/// the sizes of files, by the pool's first byte.
struct CrashState {
  std::map<std::uintptr_t, std::vector<Content>> lines;
  std::map<std::uintptr_t, std::vector<std::uint64_t>> file_sizes;
};

/// How far the durable image is behind the program. Follows a trace:
///
/// - a store may reach the image from now on, but in each line only after the stores before it;
/// - a flush captures the stores made to its line so far;
/// - a fence makes what its thread captured certain. (A locked instruction does not.)
/// - what a hole in the file has cleared, or what was cut off, is certain when the file is synced.
class Persistence {
 public:
  /// \param images  what the durable image certainly holds where nothing else is known.
  explicit Persistence(const Images& images) : images_(images) {}
  /// Begins anew, after a crash that left one of the contents of each line.
  Persistence(const Images& images, const CrashState& after_crash) : images_(images) { begin_after(after_crash); }
  void begin_after(const CrashState& crash);

  /// \returns the line that a store has changed, if the event is one.
  /// \throws Violation if the program's memory is not what the trace says: then a store was missed.
  std::optional<std::uintptr_t> apply(const Event& event);

  /// All that a crash can leave now. With `latest`, restricted to that line holding its newest content: a crash without
  /// it was possible before the last store, too.
  CrashState crash_state(std::optional<std::uintptr_t> latest) const;

  /// What a program finds that is started after this one was killed, and the machine has not failed: every store.
  CrashState killed_state() const;
  /// A program was killed: nobody will fence what it flushed.
  void forget_flushes() { captures_.clear(); }

  /// The size of the pool's file that is certain.
  std::uint64_t file_size(std::uintptr_t pool) const;

  /// Hands each line of which the image is certain to `function(address, content)` and forgets it.
  template <class Function>
  void settle(Function&& function) {
    for (auto line = lines_.begin(); line != lines_.end();) {
      if (!line->second.is_certain() || !images_.contains(line->first)) {
        ++line;
        continue;
      }
      function(line->first, line->second.oldest());
      line = lines_.erase(line);
    }
  }

 private:
  struct Capture {
    std::uintptr_t line;
    std::size_t stores;
  };
  struct FileSize {
    std::uint64_t durable;
    std::uint64_t newest;
  };

  Line& line(std::uintptr_t address);
  void check_against_memory(const Event& flush);
  void capture(unsigned thread, std::uintptr_t address);
  void fence(unsigned thread);
  void sync(std::uintptr_t pool);
  void forget(std::uintptr_t line, std::size_t stores);

  const Images& images_;
  std::map<std::uintptr_t, Line> lines_;
  std::vector<std::vector<Capture>> captures_;  // by thread
  std::map<std::uintptr_t, FileSize> file_sizes_;
};

}  // namespace perdure::simulate

#endif
