#include <sys/resource.h>
#include <unistd.h>

#include "perdure/statistics.h"
#include "server.h"

/// What `stats` says.
namespace perdure::benchmarks::memcached {
namespace {

void append(std::string& lines, std::string_view name, std::string_view value) {
  lines += "STAT ";
  lines += name;
  lines += ' ';
  lines += value;
  lines += "\r\n";
}

void append(std::string& lines, std::string_view name, std::uint64_t value) {
  append(lines, name, std::to_string(value));
}

std::string seconds_of(const timeval& time) {
  const auto microseconds = std::to_string(1'000'000 + time.tv_usec);
  return std::to_string(time.tv_sec) + "." + microseconds.substr(1);
}

}  // namespace

Counters::Values Server::counted() const {
  Counters::Values sums{};
  for (const auto& worker : workers_) worker->counters().add_to(sums);
  return sums;
}

std::string Server::general() const {
  std::string lines;
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto now = wall_clock();
  append(lines, "pid", static_cast<std::uint64_t>(::getpid()));
  append(lines, "uptime", now - started_);
  append(lines, "time", now);
  append(lines, "version", server_version);
  append(lines, "library", library_name());
  append(lines, "libevent", event_get_version());
  append(lines, "pointer_size", 8 * sizeof(void*));
  append(lines, "rusage_user", seconds_of(usage.ru_utime));
  append(lines, "rusage_system", seconds_of(usage.ru_stime));
  append(lines, "max_connections", settings_.connections);
  append(lines, "curr_connections", connections_);
  append(lines, "total_connections", total_connections_);
  append(lines, "rejected_connections", rejected_connections_);
  const auto counted_now = counted();
  {
    const std::scoped_lock lock(mutex_);
    for (std::size_t i = 0; i < counts; ++i) append(lines, count_names[i], counted_now[i] - forgotten_[i]);
  }
  const auto summary = store_.summary();
  append(lines, "limit_maxbytes", settings_.limits().memory);
  append(lines, "threads", settings_.threads);
  append(lines, "bytes", summary.bytes);
  append(lines, "curr_items", summary.items);
  append(lines, "evictions", summary.evictions);
  return lines;
}

std::string Server::settings() const {
  std::string lines;
  append(lines, "maxbytes", settings_.limits().memory);
  append(lines, "maxconns", settings_.connections);
  append(lines, "tcpport", port_);
  append(lines, "inter", settings_.address);
  append(lines, "domain_socket", settings_.unix_socket.empty() ? "NULL" : settings_.unix_socket.string());
  append(lines, "num_threads", settings_.threads);
  append(lines, "item_size_max", settings_.item_bytes);
  append(lines, "cas_enabled", "yes");
  append(lines, "evictions", "on");
  return lines;
}

void Server::reset() {
  const auto counted_now = counted();
  const std::scoped_lock lock(mutex_);
  forgotten_ = counted_now;
}

}  // namespace perdure::benchmarks::memcached
