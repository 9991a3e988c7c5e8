#include "client.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace perdure::benchmarks::memcached::load {
namespace {

constexpr std::string_view end_of_line = "\r\n";

[[noreturn]] void fail(const std::string& what) { throw Disconnected(what + ": " + std::strerror(errno)); }

}  // namespace

Client::Client(const std::string& address, std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
  sockaddr_in server{};
  server.sin_family = AF_INET;
  server.sin_port = htons(port);
  if (::inet_pton(AF_INET, address.c_str(), &server.sin_addr) != 1) throw std::invalid_argument(address);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&server), sizeof server) != 0) {
    ::close(socket_);
    fail("connect to " + address + ":" + std::to_string(port));
  }
  const int on = 1;
  ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

Client::Client(Client&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), input_(std::move(other.input_)), consumed_(other.consumed_) {}

Client::~Client() {
  if (socket_ >= 0) ::close(socket_);
}

void Client::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) fail("send");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string_view Client::line() {
  for (;;) {
    const auto end = input_.find(end_of_line, consumed_);
    if (end != std::string::npos) {
      const auto begin = std::exchange(consumed_, end + end_of_line.size());
      return std::string_view(input_).substr(begin, end - begin);
    }
    receive();
  }
}

std::string_view Client::block(std::size_t bytes) {
  while (input_.size() - consumed_ < bytes + end_of_line.size()) receive();
  const auto begin = std::exchange(consumed_, consumed_ + bytes + end_of_line.size());
  return std::string_view(input_).substr(begin, bytes);
}

void Client::receive() {
  input_.erase(0, std::exchange(consumed_, 0));
  std::array<char, 16 * 1024> bytes;
  const auto received = ::recv(socket_, bytes.data(), bytes.size(), 0);
  if (received < 0) fail("receive");
  if (received == 0) throw Disconnected("the server has closed the connection");
  input_.append(bytes.data(), static_cast<std::size_t>(received));
}

}  // namespace perdure::benchmarks::memcached::load
