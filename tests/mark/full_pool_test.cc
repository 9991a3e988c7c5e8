// A full pool, and the mark that ends at any moment of an allocation that finds no room.
#include <dlfcn.h>

#include <cerrno>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "crashed_pool.h"

namespace {

bool disk_is_full = false;
/// What happens in this thread behind the n-th unlocking from now on.
thread_local std::function<void()> interruption;
thread_local unsigned unlocks_before = 0;

template <class Function>
Function* original_of(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// In the place of the C library's.
extern "C" int posix_fallocate(int descriptor, off_t offset, off_t length) {
  static const auto original = original_of<decltype(posix_fallocate)>("posix_fallocate");
  return disk_is_full ? ENOSPC : original(descriptor, offset, length);
}

extern "C" int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  static const auto original = original_of<int(pthread_mutex_t*)>("pthread_mutex_unlock");
  const int result = original(mutex);
  if (interruption && unlocks_before-- == 0) std::exchange(interruption, nullptr)();
  return result;
}

namespace perdure::testing {
namespace {

class FullPool : public MarkTest {
 protected:
  /// In a full pool in which nothing is reachable, the mark ends at each moment of `allocate` in turn.
  template <class Allocate>
  void expect_room_whenever_the_mark_ends(Allocate&& allocate) {
    constexpr OpenOptions small = {.size_limit = 4 << 20};
    make_crashed(
        [](opening::OpenPool& pool) {
          while (pool.heap().allocate(64) != nullptr) {
          }
        },
        small);
    const std::string crashed = read_all(path());
    bool had_ended = true;
    for (unsigned unlocks = 0; had_ended; ++unlocks) {
      write_all(path(), crashed);
      opening::OpenPool pool = open_by_hand();
      alloc::Marker marker(*pool.heap().mark());
      disk_is_full = true;
      unlocks_before = unlocks;
      std::once_flag once;
      const auto end_mark = [&] {
        std::call_once(once, [&] {
          marker.run();
          pool.heap().mark()->sweep();
        });
      };
      interruption = end_mark;
      std::thread patience([&] {  // an allocation that waits for the end would wait for ever
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        end_mark();
      });
      EXPECT_NE(allocate(pool.heap()), nullptr) << "the mark ended behind unlocking " << unlocks;
      had_ended = !std::exchange(interruption, nullptr);
      patience.join();
      disk_is_full = false;
    }
  }
};

TEST_F(FullPool, SmallBlockIsFound) {
  expect_room_whenever_the_mark_ends([](alloc::Heap& heap) { return heap.allocate(200); });
}

TEST_F(FullPool, LargeBlockIsFound) {
  expect_room_whenever_the_mark_ends([](alloc::Heap& heap) { return heap.allocate(100'000); });
}

TEST_F(FullPool, LogSegmentIsFound) {
  expect_room_whenever_the_mark_ends([](alloc::Heap& heap) { return heap.allocate_log_segment(); });
}

}  // namespace
}  // namespace perdure::testing
