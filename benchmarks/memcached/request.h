#ifndef PERDURE_BENCHMARKS_MEMCACHED_REQUEST_H
#define PERDURE_BENCHMARKS_MEMCACHED_REQUEST_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "item_key.h"

namespace perdure::benchmarks::memcached {

enum class Verb : std::uint8_t {
  refused,  // a line that no command is in; the answer is `Request::refusal`
  get,      // get, gets, gat, gats
  put,      // set, add, replace, append, prepend, cas
  erase,
  arithmetic,  // incr, decr
  touch,
  flush_all,
  stats,
  version,
  verbosity,
  quit,
  lru_crawler,
  cache_memlimit,
  shutdown,
  watch,
  meta_noop,
  meta_get,
  meta_put,
  meta_erase,
  meta_arithmetic,
  meta_debug,
};

/// What a storage command asks of the item that is there already.
enum class Mode : std::uint8_t { set, add, replace, append, prepend, cas };

/// One command line, understood. Views lead into the line.
struct Request {
  Verb verb = Verb::refused;
  Mode mode = Mode::set;
  bool is_quiet = false;  // noreply, the meta flag q
  bool is_gets = false;   // gets, gats: with the cas unique
  bool touches = false;   // gat, gats; the meta flag T
  bool is_decrement = false;
  bool is_binary_key = false;  // the meta flag b: the key was written in base64
  bool has_cas = false;
  bool invalidates = false;     // the meta flag I
  bool wants_value = false;     // the meta flag v
  bool leaves_recency = false;  // the meta flag u
  bool vivifies = false;        // the meta flag N
  bool recaches = false;        // the meta flag R
  bool has_data = false;        // a data block follows

  ItemKey key;                          // of all commands with one key
  std::vector<std::string_view> words;  // the keys of a `get`; the flags of a meta command; what follows other names
  std::int64_t exptime = 0;             // as the client wrote it; the delay of flush_all
  std::int64_t vivified_exptime = 0;
  std::int64_t recache_exptime = 0;
  std::uint32_t flags = 0;
  std::uint64_t cas = 0;
  std::uint64_t delta = 1;
  std::uint64_t initial = 0;
  std::size_t data_bytes = 0;     // of the data block, without its end of line
  std::string_view refusal;       // when refused: what to answer
  int socket = -1;                // of the client
  std::size_t bytes_to_skip = 0;  // when refused: of the data block that follows, with its end of line
};

inline constexpr std::string_view bad_format = "CLIENT_ERROR bad command line format";

}  // namespace perdure::benchmarks::memcached

#endif
