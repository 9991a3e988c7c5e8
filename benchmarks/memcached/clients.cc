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

std::string lines_of_socket(int socket, std::string_view state, UnixSeconds idle) {
  const bool has_peer = state != "conn_listening";
  const std::string name = "STAT " + std::to_string(socket) + ":";
  const std::string here = address_by(::getsockname, socket);
  std::string lines = name + "addr " + (has_peer ? address_by(::getpeername, socket) : here) + "\r\n";
  if (has_peer) lines += name + "listen_addr " + here + "\r\n";
  lines += name + "state " + std::string(state) + "\r\n";
  return lines + name + "secs_since_last_cmd " + std::to_string(idle) + "\r\n";
}

std::string Clients::text(UnixSeconds now) const {
  const std::scoped_lock lock(mutex_);
  std::string lines;
  for (const Entry* const entry : entries_) {
    const auto active = entry->active_.load(std::memory_order_relaxed);
    const bool is_watching = entry->is_watching_.load(std::memory_order_relaxed);
    lines += lines_of_socket(entry->socket_, is_watching ? "conn_watch" : "conn_read", now > active ? now - active : 0);
  }
  return lines;
}

}  // namespace perdure::benchmarks::memcached
