#ifndef PERDURE_BENCHMARKS_MEMCACHED_WORKER_H
#define PERDURE_BENCHMARKS_MEMCACHED_WORKER_H

#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "connection.h"
#include "wakeup.h"

namespace perdure::benchmarks::memcached {

/// A thread with an event loop of its own, and the connections it serves.
class Worker {
 public:
  /// \param closed  is called, by the worker's thread, for each connection that has been closed.
  Worker(Store& store, ServerFacts& server, Clients& clients, std::function<void()> closed);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker();  ///< stops the thread and closes its connections

  /// Hands a connection over. By any thread.
  void adopt(int socket);

  const Counters& counters() const { return counters_; }

 private:
  void take_adopted();
  void close(Connection* connection);
  void send_events();

  Counters counters_;
  EventBase events_;
  Executor executor_;
  ConnectionContext context_;
  const std::function<void()> closed_;
  const Wakeup wakeup_;
  const Wakeup events_wakeup_;
  std::unordered_map<Connection*, std::unique_ptr<Connection>> connections_;

  std::mutex mutex_;
  std::vector<int> adopted_;  // guarded by mutex_
  bool is_stopping_ = false;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace perdure::benchmarks::memcached

#endif
