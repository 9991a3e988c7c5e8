#ifndef PERDURE_BENCHMARKS_MEMCACHED_PARSER_H
#define PERDURE_BENCHMARKS_MEMCACHED_PARSER_H

#include <string_view>

#include "request.h"

/// From bytes to requests. Nothing here knows of items, transactions or sockets.
namespace perdure::benchmarks::memcached {

/// Understands one command line, without its end. What cannot be understood is Verb::refused, with the answer that
/// memcached gives.
/// \param request  is overwritten, but for the memory it has.
void parse_line(std::string_view line, Request& request);

/// The part of parse_line for commands of two letters that begin with m.
/// \param words  of the line.
void parse_meta(const std::vector<std::string_view>& words, Request& request);

/// Makes `text` the request's key.
/// \returns whether it can be one: of 1 to 250 characters, no control characters among them.
bool read_key(std::string_view text, Request& request);

void refuse(Request& request, std::string_view answer);

/// What is at the beginning of a connection's input.
struct Line {
  enum class State { complete, partial, endless };
  State state = State::partial;
  std::string_view text;  // without its end
  std::size_t bytes = 0;  // with it
};

/// The first line of `input`, which ends with \n or \r\n. A line of which 2 KiB are there without an end is endless,
/// but for those of `get` and `gets` with their many keys.
Line first_line(std::string_view input);

}  // namespace perdure::benchmarks::memcached

#endif
