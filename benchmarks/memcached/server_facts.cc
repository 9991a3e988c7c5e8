#include <bit>

#include <sys/resource.h>
#include <unistd.h>

#include "perdure/statistics.h"
#include "server.h"

/// What `stats` says.
namespace perdure::benchmarks::memcached {
namespace {

constexpr std::uint64_t chunk_bytes = 32;  // the pool's alignment of blocks
constexpr std::uint64_t page_bytes = std::uint64_t{1} << 20;

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

std::string_view yes_or_no(bool yes) { return yes ? "yes" : "no"; }

std::string seconds_of(const timeval& time) {
  const auto microseconds = std::to_string(1'000'000 + time.tv_usec);
  return std::to_string(time.tv_sec) + "." + microseconds.substr(1);
}

}  // namespace

Counters::Values Server::counted() const {
  Counters::Values sums{};
  for (const auto& worker : workers_) worker->counters().add_to(sums);
  crawler_counters_.add_to(sums);
  return sums;
}

Counters::Values Server::counted_since_reset() const {
  auto values = counted();
  const std::scoped_lock lock(mutex_);
  for (std::size_t i = 0; i < counts; ++i) values[i] -= forgotten_[i];
  return values;
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
  const auto counted_now = counted_since_reset();
  const auto append_counts = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) append(lines, count_names[i], counted_now[i]);
  };
  const auto of_items = static_cast<std::size_t>(Count::total_items);
  const auto summary = store_.summary();
  append_counts(0, of_items);
  append(lines, "auth_cmds", std::uint64_t{0});
  append(lines, "auth_errors", std::uint64_t{0});
  append(lines, "limit_maxbytes", store_.memory_limit());
  append(lines, "accepting_conns", std::uint64_t{1});
  append(lines, "listen_disabled_num", failed_accepts_);
  append(lines, "threads", settings_.threads);
  append(lines, "conn_yields", std::uint64_t{0});
  append(lines, "hash_power_level", static_cast<std::uint64_t>(std::bit_width(store_.parts()) - 1));
  append(lines, "hash_bytes", store_.parts() * sizeof(void*));
  append(lines, "hash_is_expanding", std::uint64_t{0});
  append(lines, "lru_crawler_running", std::uint64_t{crawled_parts_ < store_.parts() ? 1U : 0U});
  append(lines, "lru_crawler_starts", crawls_);
  append_log(lines);
  append(lines, "bytes", summary.bytes);
  append(lines, "curr_items", summary.items);
  append_counts(of_items, static_cast<std::size_t>(Count::evicted_nonzero));
  append(lines, "lrutail_reflocked", std::uint64_t{0});
  return lines;
}

void Server::append_log(std::string& lines) const {
  const auto totals = event_log_.totals();
  append(lines, "log_worker_dropped", std::uint64_t{0});  // there are no buffers before those of the watchers
  append(lines, "log_worker_written", totals.written);
  append(lines, "log_watcher_skipped", totals.skipped);
  append(lines, "log_watcher_sent", totals.sent);
  append(lines, "log_watchers", totals.watchers);
}

std::string Server::settings() const {
  std::string lines;
  append(lines, "maxbytes", store_.memory_limit());
  append(lines, "maxconns", settings_.connections);
  append(lines, "tcpport", port_);
  append(lines, "udpport", std::uint64_t{0});
  append(lines, "inter", settings_.address);
  append(lines, "verbosity", std::uint64_t{0});
  append(lines, "evictions", "on");
  append(lines, "domain_socket", settings_.unix_socket.empty() ? "NULL" : settings_.unix_socket.string());
  append(lines, "shutdown_command", yes_or_no(settings_.allows_shutdown));
  append(lines, "chunk_size", chunk_bytes);
  append(lines, "num_threads", settings_.threads);
  append(lines, "stat_key_prefix", ":");
  append(lines, "detail_enabled", yes_or_no(prefixes_.is_on()));
  append(lines, "cas_enabled", "yes");
  append(lines, "hash_algorithm", "xxh3");
  append(lines, "tail_repair_time", std::uint64_t{0});
  append(lines, "tcp_backlog", std::uint64_t{backlog});
  append(lines, "binding_protocol", "ascii");
  append(lines, "auth_enabled_sasl", "no");
  append(lines, "auth_enabled_ascii", "no");
  append(lines, "item_size_max", settings_.item_bytes);
  append(lines, "maxconns_fast", "yes");
  append(lines, "slab_reassign", "no");
  append(lines, "slab_automove", std::uint64_t{0});
  append(lines, "lru_crawler", yes_or_no(controls_.crawls));
  append(lines, "lru_crawler_sleep", controls_.crawler_sleep_us);
  append(lines, "lru_crawler_tocrawl", controls_.crawled_at_once);
  append(lines, "flush_enabled", "yes");
  append(lines, "dump_enabled", "yes");
  append(lines, "lru_maintainer_thread", "no");
  append(lines, "lru_segmented", "no");
  append(lines, "temp_lru", "no");
  append(lines, "idle_timeout", std::uint64_t{0});
  append(lines, "watcher_logbuf_size", EventLog::most_waiting_bytes);
  append(lines, "track_sizes", yes_or_no(controls_.counts_sizes));
  append(lines, "ssl_enabled", "no");
  append(lines, "memory_file", settings_.pool.empty() ? "(null)" : settings_.pool.string());
  return lines;
}

// Memory as if it were slabs of one class, whose chunks are the pool's units of allocation.
std::string Server::slabs() const {
  const auto summary = store_.summary();
  const auto pages = (summary.bytes + page_bytes - 1) / page_bytes;
  std::string lines;
  if (pages > 0) {
    const auto counted_now = counted_since_reset();
    const auto count = [&](Count which) { return counted_now[static_cast<std::size_t>(which)]; };
    const auto chunks = pages * (page_bytes / chunk_bytes);
    const auto used = summary.bytes / chunk_bytes;
    append(lines, "1:chunk_size", chunk_bytes);
    append(lines, "1:chunks_per_page", page_bytes / chunk_bytes);
    append(lines, "1:total_pages", pages);
    append(lines, "1:total_chunks", chunks);
    append(lines, "1:used_chunks", used);
    append(lines, "1:free_chunks", chunks - used);
    append(lines, "1:free_chunks_end", std::uint64_t{0});
    append(lines, "1:get_hits", count(Count::get_hits));
    append(lines, "1:cmd_set", count(Count::cmd_set));
    append(lines, "1:delete_hits", count(Count::delete_hits));
    append(lines, "1:incr_hits", count(Count::incr_hits));
    append(lines, "1:decr_hits", count(Count::decr_hits));
    append(lines, "1:cas_hits", count(Count::cas_hits));
    append(lines, "1:cas_badval", count(Count::cas_badval));
    append(lines, "1:touch_hits", count(Count::touch_hits));
  }
  append(lines, "active_slabs", std::uint64_t{pages > 0 ? 1U : 0U});
  append(lines, "total_malloced", pages * page_bytes);
  return lines;
}

// As memcached has them whose order of recency is not in segments, as ours.
std::string Server::items() const {
  const auto summary = store_.summary();
  if (summary.items == 0) return {};
  const auto counted_now = counted_since_reset();
  const auto count = [&](Count which) { return counted_now[static_cast<std::size_t>(which)]; };
  const auto now = wall_clock();
  std::string lines;
  append(lines, "items:1:number", summary.items);
  append(lines, "items:1:age", now > summary.oldest_use ? now - summary.oldest_use : 0U);
  append(lines, "items:1:mem_requested", summary.bytes);
  append(lines, "items:1:evicted", count(Count::evictions));
  append(lines, "items:1:evicted_nonzero", count(Count::evicted_nonzero));
  append(lines, "items:1:evicted_time", evicted_age_);
  append(lines, "items:1:outofmemory", count(Count::store_no_memory));
  append(lines, "items:1:tailrepairs", std::uint64_t{0});
  append(lines, "items:1:reclaimed", count(Count::reclaimed));
  append(lines, "items:1:expired_unfetched", count(Count::expired_unfetched));
  append(lines, "items:1:evicted_unfetched", count(Count::evicted_unfetched));
  append(lines, "items:1:crawler_reclaimed", count(Count::crawler_reclaimed));
  append(lines, "items:1:crawler_items_checked", count(Count::crawler_items_checked));
  append(lines, "items:1:lrutail_reflocked", std::uint64_t{0});
  return lines;
}

std::string Server::conns() const {
  const auto now = wall_clock();
  return lines_of_socket(evconnlistener_get_fd(listener_.get()), "conn_listening", now - started_) + clients_.text(now);
}

std::optional<std::string> Server::stats(std::string_view what) const {
  if (what.empty()) return general();
  if (what == "settings") return settings();
  if (what == "slabs") return slabs();
  if (what == "items") return items();
  if (what == "conns") return conns();
  if (what == "extstore") return std::string();
  return std::nullopt;
}

void Server::reset() {
  const auto counted_now = counted();
  const std::scoped_lock lock(mutex_);
  forgotten_ = counted_now;
  total_connections_ = rejected_connections_ = failed_accepts_ = crawls_ = 0;
  evicted_age_ = 0;
  event_log_.reset_totals();
  prefixes_.clear();
}

}  // namespace perdure::benchmarks::memcached
