#ifndef PERDURE_BENCHMARKS_MEMCACHED_CONNECTION_H
#define PERDURE_BENCHMARKS_MEMCACHED_CONNECTION_H

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "clients.h"
#include "counters.h"
#include "event_log.h"
#include "event_pointers.h"
#include "executor.h"
#include "peer.h"
#include "request.h"
#include "store.h"

namespace perdure::benchmarks::memcached {

class Connection;

/// What the connections of a thread share.
struct ConnectionContext {
  event_base* events;
  Store& store;
  Executor& executor;
  Counters& counters;
  Clients& clients;
  EventLog& event_log;
  std::function<void()> wake_watching;  // by any thread: has this one call `on_events` of those that watch
  std::set<Connection*> watching;
  Request request;                                                         // the one under way
  std::string reply;                                                       // the answers under way
  std::vector<char> received = std::vector<char>(std::size_t{16} * 1024);  // what has just come
};

/// A client. Reads requests, has them run, and sends the answers, each after its command has become durable.
///
/// A request is run when it is there with its data block; until then it waits in the input buffer. Most are there whole
/// with the first bytes, and run where those were received. A client that does not read its answers is not read from
/// either.
class Connection {
 public:
  /// \param socket  is owned by the connection from now on.
  /// \param close   destroys this object.
  Connection(ConnectionContext& context, int socket, std::function<void(Connection*)> close);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection();

  /// Lines wait for it, which watches.
  void on_events();

 private:
  enum class Progress { again, needs_input, ends };

  static void on_event(int socket, short what, void* self);
  void on_readable();
  void on_writable();
  void wait_for(short what);

  bool receive();
  ssize_t receive_first();
  ssize_t receive_more();
  void serve();
  void keep_rest();
  std::string_view available();
  Progress process_some();
  Progress run_one(std::string_view input, std::size_t& consumed);
  Progress run_next(std::string_view input, std::size_t& consumed);
  Progress run_with_data(std::string_view input, std::size_t line_bytes, std::size_t& consumed);
  void send_reply();
  void send_rest();
  void begin_watch(Streams streams);
  void send_events();

  ConnectionContext& context_;
  const int socket_;
  const std::function<void(Connection*)> close_;
  const Peer peer_;
  std::optional<Clients::Entry> entry_;  // as long as the socket is open
  Event event_;
  std::string_view first_;  // of the input, in the thread's memory: while it is being served
  Buffer input_;            // what had to wait
  Buffer output_;           // what the socket did not take
  short awaited_ = 0;
  std::size_t wanted_ = 0;                      // bytes that the input must have before it is worth looking at
  Listing listing_;                             // what is being answered
  std::size_t bytes_to_skip_ = 0;               // of a data block that nobody wants
  std::unique_ptr<EventLog::Watcher> watcher_;  // after `watch`, when no more requests are run
  bool is_ending_ = false;                      // once everything is sent
  bool is_broken_ = false;
  bool ends_by_client_ = false;  // it has said `quit`, or closed the connection
};

}  // namespace perdure::benchmarks::memcached

#endif
