#include "wakeup.h"

#include <cerrno>
#include <cstdint>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace perdure::benchmarks::memcached {

Wakeup::Wakeup(event_base* events, std::function<void()> function)
    : function_(std::move(function)),
      descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      event_(made(event_new(events, descriptor_, EV_READ | EV_PERSIST, on_wake, this))) {
  event_add(event_.get(), nullptr);
}

Wakeup::~Wakeup() {
  event_.reset();
  ::close(descriptor_);
}

void Wakeup::wake() const {
  const std::uint64_t one = 1;
  while (::write(descriptor_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void Wakeup::on_wake(int descriptor, short /*what*/, void* self) {
  std::uint64_t count = 0;
  while (::read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {
  }
  static_cast<Wakeup*>(self)->function_();
}

}  // namespace perdure::benchmarks::memcached
