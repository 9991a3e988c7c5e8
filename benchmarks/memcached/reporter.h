#ifndef PERDURE_BENCHMARKS_MEMCACHED_REPORTER_H
#define PERDURE_BENCHMARKS_MEMCACHED_REPORTER_H

#include <cstdint>
#include <string_view>

#include "event_log.h"
#include "request.h"
#include "trace.h"

namespace perdure::benchmarks::memcached {

/// Tells those who watch what became of a command, once it is durable, in the lines of memcached 1.6. A thread has one.
class Reporter {
 public:
  explicit Reporter(EventLog& log) : log_(log) {}

  /// Before each command. While nobody watches, this is all that the log costs.
  void begin() { watched_ = log_.watched(); }
  bool is_watched() const { return watched_ != 0; }

  /// Somebody has looked for the item.
  void tell_lookup(const Request& request, std::string_view key, Presence presence, std::uint32_t value_size) const;
  /// An item was stored, or not.
  /// \param outcome  by memcached's name: "stored", "exists" …
  void tell_store(const Request& request, std::string_view outcome, UnixSeconds expiry, std::size_t value_size,
                  UnixSeconds now) const;
  void tell_deletion(const Request& request, std::uint32_t value_size) const;
  void tell_evictions(const Trace& trace, UnixSeconds now) const;

 private:
  bool tells(Streams stream) const { return (watched_ & stream) != 0; }

  EventLog& log_;
  Streams watched_ = 0;  // as of the command's beginning
};

}  // namespace perdure::benchmarks::memcached

#endif
