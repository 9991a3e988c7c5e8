#include "server.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "perdure/statistics.h"

namespace perdure::benchmarks::memcached {
namespace {

constexpr timeval one_second{1, 0};

// An address of either kind, as the system's calls take it.
struct Address {
  sockaddr_storage storage{};
  socklen_t size = 0;

  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

Address address_of(const std::filesystem::path& path) {
  Address address;
  auto* const local = reinterpret_cast<sockaddr_un*>(&address.storage);
  if (path.native().size() >= sizeof local->sun_path) {
    throw std::invalid_argument(path.string() + ": too long for the path of a Unix socket");
  }
  local->sun_family = AF_UNIX;
  path.native().copy(local->sun_path, path.native().size());
  address.size = sizeof *local;
  return address;
}

Address address_of(const std::string& name, std::uint16_t port) {
  Address address;
  auto* const internet = reinterpret_cast<sockaddr_in*>(&address.storage);
  internet->sin_family = AF_INET;
  internet->sin_port = htons(port);
  if (::inet_pton(AF_INET, name.c_str(), &internet->sin_addr) != 1) {
    throw std::invalid_argument(name + ": not an address of an interface, such as 127.0.0.1");
  }
  address.size = sizeof *internet;
  return address;
}

}  // namespace

Server::Server(Store& store, const Settings& settings)
    : store_(store),
      settings_(settings),
      events_(made(event_base_new())),
      stop_(events_.get(), [this] { event_base_loopbreak(events_.get()); }),
      crawled_parts_(store.parts()) {
  if (std::string_view(library_name()) == "seq") {
    throw std::invalid_argument("the library seq does not synchronise threads, and a server has several");
  }
  std::signal(SIGPIPE, SIG_IGN);  // a client that goes while libevent writes to it is no reason to end
  listen();
  own_events_.emplace_back(made(event_new(events_.get(), -1, EV_PERSIST, on_second, this)));
  event_add(own_events_.back().get(), &one_second);
  for (std::size_t i = 0; i < settings_.threads; ++i) {
    workers_.push_back(std::make_unique<Worker>(store_, *this, clients_, [this] { --connections_; }));
  }
}

Server::~Server() {
  listener_.reset();
  workers_.clear();
  if (!settings_.unix_socket.empty()) std::filesystem::remove(settings_.unix_socket);
}

void Server::run() { event_base_dispatch(events_.get()); }

void Server::stop_on_signals() {
  for (const int signal : {SIGINT, SIGTERM}) {
    own_events_.emplace_back(made(evsignal_new(events_.get(), signal, on_signal, this)));
    event_add(own_events_.back().get(), nullptr);
  }
}

void Server::listen() {
  const bool is_local = !settings_.unix_socket.empty();
  if (is_local) std::filesystem::remove(settings_.unix_socket);
  auto address = is_local ? address_of(settings_.unix_socket) : address_of(settings_.address, settings_.port);
  place_ = is_local ? settings_.unix_socket.string() : settings_.address + ":" + std::to_string(settings_.port);
  listener_.reset(evconnlistener_new_bind(events_.get(), on_connection, this,
                                          LEV_OPT_CLOSE_ON_FREE | LEV_OPT_CLOSE_ON_EXEC | LEV_OPT_REUSEABLE, backlog,
                                          address.get(), static_cast<int>(address.size)));
  if (listener_ == nullptr) throw std::system_error(errno, std::generic_category(), "cannot listen at " + place_);
  evconnlistener_set_error_cb(listener_.get(), on_accept_error);
  if (is_local) return;
  ::getsockname(evconnlistener_get_fd(listener_.get()), address.get(), &address.size);
  port_ = ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
  place_ = settings_.address + ":" + std::to_string(port_);
}

void Server::on_connection(evconnlistener* /*listener*/, int socket, sockaddr* /*address*/, int /*length*/,
                           void* self) {
  static_cast<Server*>(self)->accept(socket);
}

// Out of descriptors, most often: to try again at once would fail again. Listening goes on with the next second.
void Server::on_accept_error(evconnlistener* listener, void* self) {
  ++static_cast<Server*>(self)->failed_accepts_;
  std::cerr << "memcached: cannot accept a connection: " << std::strerror(errno) << '\n';
  evconnlistener_disable(listener);
}

void Server::on_signal(int /*signal*/, short /*what*/, void* self) {
  event_base_loopbreak(static_cast<Server*>(self)->events_.get());
}

void Server::on_second(int /*descriptor*/, short /*what*/, void* self) {
  auto* const server = static_cast<Server*>(self);
  server->store_.tick(wall_clock());
  server->crawl_on();
  evconnlistener_enable(server->listener_.get());
}

void Server::crawl() {
  ++crawls_;
  crawled_parts_ = 0;
}

// As far as a second allows that is there for accepting connections, too.
void Server::crawl_on() {
  constexpr std::chrono::milliseconds share(100);
  const auto end = std::chrono::steady_clock::now() + share;
  std::size_t part = crawled_parts_;
  while (part < store_.parts() && std::chrono::steady_clock::now() < end) {
    const Sweep sweep = store_.sweep(part, wall_clock());
    crawler_counters_.add(Count::crawler_items_checked, sweep.examined);
    crawler_counters_.add(Count::crawler_reclaimed, sweep.erased);
    crawler_counters_.add(Count::expired_unfetched, sweep.expired_unfetched);
    if (!crawled_parts_.compare_exchange_strong(part, part + 1)) continue;  // a client has asked for it anew
    ++part;
  }
}

void Server::accept(int socket) {
  ++total_connections_;
  if (connections_ >= settings_.connections) {
    ++rejected_connections_;
    constexpr std::string_view answer = "ERROR Too many open connections\r\n";
    static_cast<void>(::send(socket, answer.data(), answer.size(), MSG_NOSIGNAL));
    ::close(socket);
    return;
  }
  ++connections_;
  const int on = 1;  // fails for Unix sockets, which have no delay
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  workers_[next_worker_++ % workers_.size()]->adopt(socket);
}

}  // namespace perdure::benchmarks::memcached
