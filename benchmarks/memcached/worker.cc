#include "worker.h"

#include <cstdint>
#include <iostream>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace perdure::benchmarks::memcached {

Worker::Worker(Store& store, ServerFacts& server, std::function<void()> closed)
    : events_(made(event_base_new())),
      executor_(store, counters_, server),
      context_{events_.get(), store, executor_, counters_, {}, {}},
      closed_(std::move(closed)),
      wake_descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
      wake_event_(made(event_new(events_.get(), wake_descriptor_, EV_READ | EV_PERSIST, on_wake, this))) {
  event_add(wake_event_.get(), nullptr);
  thread_ = std::thread([this] { event_base_dispatch(events_.get()); });
}

Worker::~Worker() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  wake();
  thread_.join();
  connections_.clear();
  wake_event_.reset();
  ::close(wake_descriptor_);
}

void Worker::adopt(int socket) {
  {
    const std::scoped_lock lock(mutex_);
    adopted_.push_back(socket);
  }
  wake();
}

void Worker::wake() const {
  const std::uint64_t one = 1;
  while (::write(wake_descriptor_, &one, sizeof one) < 0 && errno == EINTR) {
  }
}

void Worker::on_wake(int descriptor, short /*what*/, void* self) {
  std::uint64_t count = 0;
  while (::read(descriptor, &count, sizeof count) < 0 && errno == EINTR) {
  }
  static_cast<Worker*>(self)->take_adopted();
}

void Worker::take_adopted() {
  std::vector<int> sockets;
  bool is_stopping = false;
  {
    const std::scoped_lock lock(mutex_);
    sockets.swap(adopted_);
    is_stopping = is_stopping_;
  }
  for (const int socket : sockets) {
    try {
      auto connection = std::make_unique<Connection>(context_, socket, [this](Connection* ended) { close(ended); });
      auto* const address = connection.get();
      connections_.emplace(address, std::move(connection));
    } catch (const std::exception& error) {
      std::cerr << "memcached: a connection is closed: " << error.what() << '\n';
      ::close(socket);
      closed_();
    }
  }
  if (is_stopping) event_base_loopbreak(events_.get());
}

void Worker::close(Connection* connection) {
  connections_.erase(connection);
  closed_();
}

}  // namespace perdure::benchmarks::memcached
