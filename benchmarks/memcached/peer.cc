#include "peer.h"

#include <array>

#include <arpa/inet.h>
#include <sys/socket.h>

namespace perdure::benchmarks::memcached {

Peer::Peer(int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  const bool is_known = ::getpeername(socket, reinterpret_cast<sockaddr*>(&storage), &size) == 0;
  if (is_known && storage.ss_family == AF_INET) address_ = reinterpret_cast<const sockaddr_in&>(storage);
}

std::string Peer::fields() const {
  if (address_.sin_family != AF_INET) return "rip=unix rport=0 transport=local";
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &address_.sin_addr, text.data(), text.size());
  return std::string("rip=") + text.data() + " rport=" + std::to_string(ntohs(address_.sin_port)) + " transport=tcp";
}

}  // namespace perdure::benchmarks::memcached
