#include <bitset>
#include <limits>

#include "base64.h"
#include "parser.h"
#include "words.h"

namespace perdure::benchmarks::memcached {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::size_t most_words = 18;
constexpr std::size_t longest_opaque = 32;  // with its O
constexpr std::size_t data_end_bytes = 2;

constexpr std::string_view bad_token = "CLIENT_ERROR bad token in command line format";
constexpr std::string_view bad_key = "CLIENT_ERROR error decoding key";

// Each of these sets one field of the request.
// \returns what is wrong with the flag, or an empty text.

std::string_view decode_key(Request& request) {
  const auto bytes = bytes_of_base64(request.key.text());
  if (!bytes) return bad_key;
  request.key = ItemKey(*bytes);
  request.is_binary_key = true;
  return {};
}

std::string_view take_mode(std::string_view flag, Request& request) {
  if (flag.size() != 2) return "CLIENT_ERROR incorrect length for M token";
  const char mode = flag[1];
  if (request.verb == Verb::meta_arithmetic) {
    request.is_decrement = mode == 'D' || mode == '-';
    const bool is_known = request.is_decrement || mode == 'I' || mode == '+';
    return is_known ? "" : "CLIENT_ERROR invalid mode for ma M token";
  }
  if (request.verb != Verb::meta_put) return {};
  switch (mode) {
    case 'S':
      request.mode = Mode::set;
      return {};
    case 'E':
      request.mode = Mode::add;
      return {};
    case 'A':
      request.mode = Mode::append;
      return {};
    case 'P':
      request.mode = Mode::prepend;
      return {};
    case 'R':
      request.mode = Mode::replace;
      return {};
    default:
      return "CLIENT_ERROR invalid mode for ms M token";
  }
}

std::string_view take_flag(std::string_view flag, Request& request) {
  const auto token = flag.substr(1);
  switch (flag[0]) {
    case 'b':
      return decode_key(request);
    case 'M':
      return take_mode(flag, request);
    case 'q':
      request.is_quiet = true;
      return {};
    case 'v':
      request.wants_value = true;
      return {};
    case 'u':
      request.leaves_recency = true;
      return {};
    case 'I':
      request.invalidates = true;
      return {};
    case 'N':
      request.vivifies = true;
      return read_time(token, request.vivified_exptime) ? "" : bad_token;
    case 'R':
      request.recaches = true;
      return read_time(token, request.recache_exptime) ? "" : bad_token;
    case 'T':
      request.touches = true;
      return read_time(token, request.exptime) ? "" : bad_token;
    case 'C':
      request.has_cas = true;
      return read_number(token, request.cas) ? "" : bad_token;
    case 'F':
      return read_number(token, request.flags) ? "" : bad_format;
    case 'J':
      return read_number(token, request.initial) ? "" : "CLIENT_ERROR invalid numeric initial value";
    case 'D':
      return read_number(token, request.delta) ? "" : "CLIENT_ERROR invalid numeric delta value";
    case 'O':
      return flag.size() <= longest_opaque ? "" : "CLIENT_ERROR opaque token too long";
    case 'k':
    case 's':
    case 't':
    case 'c':
    case 'f':
    case 'l':
    case 'h':
    case 'P':
    case 'L':
      return {};
    default:
      return "CLIENT_ERROR invalid flag";
  }
}

std::string_view take_flags(Request& request) {
  std::bitset<std::numeric_limits<unsigned char>::max() + 1> seen;
  for (const auto flag : request.words) {
    const auto letter = static_cast<unsigned char>(flag[0]);
    if (seen.test(letter)) return "CLIENT_ERROR duplicate flag";
    seen.set(letter);
    if (const auto wrong = take_flag(flag, request); !wrong.empty()) return wrong;
  }
  return {};
}

// m? <key> <flag>*
void parse_key_and_flags(const Words& words, Request& request, std::size_t first_flag) {
  if (words.size() > most_words) return refuse(request, "CLIENT_ERROR options flags are too long");
  if (!read_key(words[1], request)) return refuse(request, bad_format);
  request.words.assign(words.begin() + static_cast<std::ptrdiff_t>(first_flag), words.end());
  if (const auto wrong = take_flags(request); !wrong.empty()) refuse(request, wrong);
}

// md and ma say less of what is wrong with their flags.
void refuse_briefly(Request& request) {
  const auto says = [&](std::string_view what) { return request.refusal.find(what) != std::string_view::npos; };
  if (request.verb != Verb::refused || request.refusal == bad_format || says("mode for") || says("opaque")) return;
  request.refusal = "CLIENT_ERROR invalid or duplicate flag";
}

// ms <key> <datalen> <flag>*: when the flags are wrong, the data block is skipped.
void parse_meta_put(const Words& words, Request& request) {
  std::int32_t bytes = -1;
  const bool understood = words.size() >= 3 && words[1].size() <= longest_key && read_number(words[2], bytes) &&
                          bytes >= 0 && bytes <= std::numeric_limits<std::int32_t>::max() - 2;
  if (!understood) return refuse(request, bad_format);
  parse_key_and_flags(words, request, 3);
  if (request.verb == Verb::refused) {
    request.bytes_to_skip = static_cast<std::size_t>(bytes) + data_end_bytes;
    return;
  }
  // A replacement under a condition is what `cas` is; to add, append or prepend under one is something else.
  if (request.has_cas && (request.mode == Mode::set || request.mode == Mode::replace)) request.mode = Mode::cas;
  request.has_data = true;
  request.data_bytes = static_cast<std::size_t>(bytes);
}

void parse_meta_debug(const Words& words, Request& request) {
  if (words.size() < 2 || !read_key(words[1], request)) return refuse(request, bad_format);
  if (words.size() < 3 || words[2] != "b") return;
  if (!decode_key(request).empty()) refuse(request, bad_format);
}

Verb verb_of(char letter) {
  switch (letter) {
    case 'n':
      return Verb::meta_noop;
    case 'g':
      return Verb::meta_get;
    case 's':
      return Verb::meta_put;
    case 'd':
      return Verb::meta_erase;
    case 'a':
      return Verb::meta_arithmetic;
    case 'e':
      return Verb::meta_debug;
    default:
      return Verb::refused;
  }
}

void parse_by_verb(const Words& words, Request& request) {
  request.verb = verb_of(words[0][1]);
  if (request.verb == Verb::meta_noop) return;
  if (request.verb == Verb::meta_debug) return parse_meta_debug(words, request);
  if (request.verb == Verb::refused || words.size() < 2) return refuse(request, "ERROR");
  if (request.verb == Verb::meta_put) return parse_meta_put(words, request);
  const bool is_get = request.verb == Verb::meta_get;
  parse_key_and_flags(words, request, 2);
  if (!is_get) refuse_briefly(request);
}

}  // namespace

void parse_meta(const std::vector<std::string_view>& words, Request& request) {
  parse_by_verb(words, request);
  if (request.verb == Verb::refused) request.is_quiet = false;  // q silences what is expected only
}

}  // namespace perdure::benchmarks::memcached
