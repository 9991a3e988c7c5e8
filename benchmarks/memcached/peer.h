#ifndef PERDURE_BENCHMARKS_MEMCACHED_PEER_H
#define PERDURE_BENCHMARKS_MEMCACHED_PEER_H

#include <string>

#include <netinet/in.h>

namespace perdure::benchmarks::memcached {

/// Who is at the other end of a connection. It is asked for at the beginning: a socket that has failed cannot tell any
/// more.
class Peer {
 public:
  explicit Peer(int socket);

  /// As the lines for watchers name it.
  std::string fields() const;

 private:
  sockaddr_in address_{};  // without a family: the connection is by a Unix socket
};

}  // namespace perdure::benchmarks::memcached

#endif
