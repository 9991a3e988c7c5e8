#ifndef PERDURE_BENCHMARKS_MEMCACHED_EXPIRY_H
#define PERDURE_BENCHMARKS_MEMCACHED_EXPIRY_H

#include <cstdint>
#include <ctime>

namespace perdure::benchmarks::memcached {

/// Seconds since 1970 by the wall clock: what is kept in a pool must mean the same in the next process.
using UnixSeconds = std::uint32_t;

inline constexpr UnixSeconds never = 0;     // an item that does not expire
inline constexpr UnixSeconds long_ago = 1;  // an item that has expired, whatever the time
inline constexpr std::int64_t thirty_days = 60 * 60 * 24 * 30;

inline UnixSeconds wall_clock() { return static_cast<UnixSeconds>(std::time(nullptr)); }

/// When an item expires, of which a client says `exptime`: 0, never; negative, at once; up to thirty days, so many
/// seconds from now; more, a time since 1970. (protocol.txt, "Expiration times")
constexpr UnixSeconds expiry_of(std::int64_t exptime, UnixSeconds now) {
  if (exptime == 0) return never;
  if (exptime < 0) return long_ago;
  return static_cast<UnixSeconds>(exptime <= thirty_days ? now + exptime : exptime);
}

constexpr bool is_over(UnixSeconds expiry, UnixSeconds now) { return expiry != never && expiry <= now; }

}  // namespace perdure::benchmarks::memcached

#endif
