#include "reporter.h"

#include <array>
#include <string>

#include "uri_encoding.h"

namespace perdure::benchmarks::memcached {
namespace {

constexpr std::array<std::string_view, 4> presence_names{"not_found", "found", "flushed", "expired"};

std::string_view command_of(const Request& request) {
  if (request.verb == Verb::meta_arithmetic) return "add";  // of the first number
  constexpr std::array<std::string_view, 6> names{"set", "add", "replace", "append", "prepend", "cas"};
  return names[static_cast<std::size_t>(request.mode)];
}

// 0: never. Negative: it has expired.
std::int64_t seconds_left(UnixSeconds expiry, UnixSeconds now) {
  if (expiry == never) return 0;
  return expiry > now ? std::int64_t{expiry} - now : -1;
}

std::string line(std::string_view type, std::string_view key) {
  return "type=" + std::string(type) + " key=" + uri_encoded(key);
}

}  // namespace

void Reporter::tell_lookup(const Request& request, std::string_view key, Presence presence,
                           std::uint32_t value_size) const {
  if (!tells(fetchers)) return;
  const bool is_present = presence == Presence::present;
  log_.publish(fetchers, line("item_get", key) +
                             " status=" + std::string(presence_names[static_cast<std::size_t>(presence)]) +
                             (is_present ? " clsid=1" : " clsid=0") + " cfd=" + std::to_string(request.socket) +
                             " size=" + std::to_string(value_size));
}

void Reporter::tell_store(const Request& request, std::string_view outcome, UnixSeconds expiry, std::size_t value_size,
                          UnixSeconds now) const {
  if (!tells(mutations)) return;
  log_.publish(mutations, line("item_store", request.key.text()) + " status=" + std::string(outcome) + " cmd=" +
                              std::string(command_of(request)) + " ttl=" + std::to_string(seconds_left(expiry, now)) +
                              " clsid=1 cfd=" + std::to_string(request.socket) + " size=" + std::to_string(value_size));
}

void Reporter::tell_deletion(const Request& request, std::uint32_t value_size) const {
  if (!tells(deletions)) return;
  log_.publish(deletions, line("deleted", request.key.text()) +
                              " cmd=" + (request.verb == Verb::meta_erase ? "md" : "delete") +
                              " clsid=1 size=" + std::to_string(value_size));
}

void Reporter::tell_evictions(const Trace& trace, UnixSeconds now) const {
  if (!tells(evictions)) return;
  auto keys = trace.keys();
  for (const Eviction& eviction : trace.evictions()) {
    const auto ttl = eviction.expiry == never ? -1 : seconds_left(eviction.expiry, now);
    log_.publish(evictions, line("eviction", keys.substr(0, eviction.key_size)) +
                                " fetch=" + (eviction.is_fetched ? "yes" : "no") + " ttl=" + std::to_string(ttl) +
                                " la=" + std::to_string(now - eviction.used) +
                                " clsid=1 size=" + std::to_string(eviction.value_size));
    keys.remove_prefix(eviction.key_size);
  }
}

}  // namespace perdure::benchmarks::memcached
