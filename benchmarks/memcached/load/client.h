#ifndef PERDURE_BENCHMARKS_MEMCACHED_LOAD_CLIENT_H
#define PERDURE_BENCHMARKS_MEMCACHED_LOAD_CLIENT_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace perdure::benchmarks::memcached::load {

/// The server has gone: it was killed, perhaps.
class Disconnected : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A connection to a server, which waits for what it asks for.
class Client {
 public:
  /// \throws Disconnected
  Client(const std::string& address, std::uint16_t port);
  Client(Client&& other) noexcept;
  Client& operator=(Client&&) = delete;
  ~Client();

  /// \throws Disconnected
  void send(std::string_view bytes);

  /// A line of an answer, without its end; stays until the next call.
  /// \throws Disconnected
  std::string_view line();

  /// So many bytes of an answer, and the end of line behind them; stays until the next call.
  std::string_view block(std::size_t bytes);

 private:
  void receive();

  int socket_;
  std::string input_;
  std::size_t consumed_ = 0;
};

}  // namespace perdure::benchmarks::memcached::load

#endif
