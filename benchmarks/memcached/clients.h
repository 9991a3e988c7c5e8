#ifndef PERDURE_BENCHMARKS_MEMCACHED_CLIENTS_H
#define PERDURE_BENCHMARKS_MEMCACHED_CLIENTS_H

#include <atomic>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

#include "expiry.h"

namespace perdure::benchmarks::memcached {

/// The connections that there are, for `stats conns`.
class Clients {
 public:
  /// A connection is in the list as long as it has this. Its socket must be open all that time.
  class Entry {
   public:
    Entry(Clients& clients, int socket) : clients_(clients), socket_(socket) {
      const std::scoped_lock lock(clients_.mutex_);
      clients_.entries_.insert(this);
    }
    Entry(const Entry&) = delete;
    Entry& operator=(const Entry&) = delete;
    ~Entry() {
      const std::scoped_lock lock(clients_.mutex_);
      clients_.entries_.erase(this);
    }

    /// It has sent something.
    void note_activity() { active_.store(wall_clock(), std::memory_order_relaxed); }

    void note_watching() { is_watching_.store(true, std::memory_order_relaxed); }

   private:
    friend class Clients;

    Clients& clients_;
    const int socket_;
    std::atomic<UnixSeconds> active_ = wall_clock();
    std::atomic<bool> is_watching_ = false;
  };

  /// The lines of `stats conns`, without those of the socket that is listened at.
  std::string text(UnixSeconds now) const;

 private:
  mutable std::mutex mutex_;
  std::set<const Entry*> entries_;  // guarded by mutex_
};

/// The lines of `stats conns` for one socket.
/// \param state  memcached's name for what it is doing: "conn_listening" has no peer.
std::string lines_of_socket(int socket, std::string_view state, UnixSeconds idle);

}  // namespace perdure::benchmarks::memcached

#endif
