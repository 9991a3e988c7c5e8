#include "clients.h"

#include <array>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace perdure::benchmarks::memcached {
namespace {

using NameOf = int (*)(int socket, sockaddr* address, socklen_t* size);

// "tcp:127.0.0.1:11211", "unix:/run/memcached"
std::string address_by(NameOf name_of, int socket) {
  sockaddr_storage storage{};
  socklen_t size = sizeof storage;
  if (name_of(socket, reinterpret_cast<sockaddr*>(&storage), &size) != 0) return "unknown";
  if (storage.ss_family == AF_UNIX) {
    const auto& local = reinterpret_cast<const sockaddr_un&>(storage);
    return "unix:" + (size > sizeof local.sun_family ? std::string(local.sun_path) : std::string());
  }
  const auto& internet = reinterpret_cast<const sockaddr_in&>(storage);
  std::array<char, INET_ADDRSTRLEN> text{};
  ::inet_ntop(AF_INET, &internet.sin_addr, text.data(), text.size());
  return std::string("tcp:") + text.data() + ":" + std::to_string(ntohs(internet.sin_port));
}

}  // namespace

std::string lines_of_socket(int socket, bool has_peer, UnixSeconds idle) {
  const std::string name = "STAT " + std::to_string(socket) + ":";
  const std::string here = address_by(::getsockname, socket);
  std::string lines = name + "addr " + (has_peer ? address_by(::getpeername, socket) : here) + "\r\n";
  if (has_peer) lines += name + "listen_addr " + here + "\r\n";
  lines += name + "state " + (has_peer ? "conn_read" : "conn_listening") + "\r\n";
  return lines + name + "secs_since_last_cmd " + std::to_string(idle) + "\r\n";
}

std::string Clients::text(UnixSeconds now) const {
  const std::scoped_lock lock(mutex_);
  std::string lines;
  for (const Entry* const entry : entries_) {
    const auto active = entry->active_.load(std::memory_order_relaxed);
    lines += lines_of_socket(entry->socket_, true, now > active ? now - active : 0);
  }
  return lines;
}

}  // namespace perdure::benchmarks::memcached
