#ifndef PERDURE_BENCHMARKS_MEMCACHED_SERVER_H
#define PERDURE_BENCHMARKS_MEMCACHED_SERVER_H

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "settings.h"
#include "worker.h"

namespace perdure::benchmarks::memcached {

/// How many connections the system keeps that have not been accepted yet.
inline constexpr int backlog = 1024;

/// Accepts connections and deals them out to the workers.
class Server : public ServerFacts {
 public:
  /// Listens from now on.
  /// \throws std::system_error if that cannot be done.
  Server(Store& store, const Settings& settings);
  ~Server() override;

  /// Where it listens: "127.0.0.1:11211", or the path of a Unix socket.
  const std::string& place() const { return place_; }

  std::uint16_t port() const { return port_; }

  /// Serves until it is stopped.
  void run();
  /// By any thread.
  void stop() const { stop_.wake(); }
  /// SIGINT and SIGTERM stop it from now on.
  void stop_on_signals();

  std::optional<std::string> stats(std::string_view what) const override;
  void reset() override;
  Prefixes& prefixes() override { return prefixes_; }
  Controls& controls() override { return controls_; }
  EventLog& event_log() override { return event_log_; }
  void note_evicted_age(UnixSeconds seconds) override { evicted_age_.store(seconds, std::memory_order_relaxed); }
  void crawl() override;
  bool allows_shutdown() const override { return settings_.allows_shutdown; }
  void shut_down() override { stop(); }

 private:
  static void on_connection(evconnlistener* listener, int socket, sockaddr* address, int length, void* self);
  static void on_accept_error(evconnlistener* listener, void* self);
  static void on_signal(int signal, short what, void* self);
  static void on_second(int descriptor, short what, void* self);

  void listen();
  void accept(int socket);
  void crawl_on();
  Counters::Values counted() const;
  Counters::Values counted_since_reset() const;
  std::string general() const;
  void append_log(std::string& lines) const;
  std::string settings() const;
  std::string slabs() const;
  std::string items() const;
  std::string conns() const;

  Store& store_;
  const Settings settings_;
  const UnixSeconds started_ = wall_clock();
  EventBase events_;
  const Wakeup stop_;
  Listener listener_;
  std::vector<Event> own_events_;
  std::string place_;
  std::uint16_t port_ = 0;

  std::atomic<std::size_t> connections_{0};
  std::atomic<std::uint64_t> total_connections_{0};
  std::atomic<std::uint64_t> rejected_connections_{0};
  std::atomic<std::uint64_t> failed_accepts_{0};
  std::atomic<std::size_t> crawled_parts_;  // of the index; all: there is nothing to do
  Prefixes prefixes_;
  Controls controls_;
  Clients clients_;
  EventLog event_log_;
  std::atomic<UnixSeconds> evicted_age_ = 0;
  std::atomic<std::uint64_t> crawls_ = 0;
  Counters crawler_counters_;  // of the thread that `run` is called by
  std::size_t next_worker_ = 0;
  mutable std::mutex mutex_;
  Counters::Values forgotten_{};                  // what was counted before the last reset; guarded by mutex_
  std::vector<std::unique_ptr<Worker>> workers_;  // last: their threads use the rest
};

}  // namespace perdure::benchmarks::memcached

#endif
