#include "worker.h"

#include <iostream>
#include <utility>

#include <unistd.h>

namespace perdure::benchmarks::memcached {

Worker::Worker(Store& store, ServerFacts& server, Clients& clients, std::function<void()> closed)
    : events_(made(event_base_new())),
      executor_(store, counters_, server),
      context_{events_.get(),
               store,
               executor_,
               counters_,
               clients,
               server.event_log(),
               [this] { events_wakeup_.wake(); },
               {},
               {},
               {}},
      closed_(std::move(closed)),
      wakeup_(events_.get(), [this] { take_adopted(); }),
      events_wakeup_(events_.get(), [this] { send_events(); }) {
  thread_ = std::thread([this] { event_base_dispatch(events_.get()); });
}

Worker::~Worker() {
  {
    const std::scoped_lock lock(mutex_);
    is_stopping_ = true;
  }
  wakeup_.wake();
  thread_.join();
}

void Worker::adopt(int socket) {
  {
    const std::scoped_lock lock(mutex_);
    adopted_.push_back(socket);
  }
  wakeup_.wake();
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

// Those that fail are closed and leave the set.
void Worker::send_events() {
  const std::vector<Connection*> watching(context_.watching.begin(), context_.watching.end());
  for (Connection* const connection : watching) connection->on_events();
}

void Worker::close(Connection* connection) {
  connections_.erase(connection);
  closed_();
}

}  // namespace perdure::benchmarks::memcached
