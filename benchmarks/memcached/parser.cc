#include "parser.h"

#include <algorithm>
#include <array>
#include <limits>

#include "words.h"

namespace perdure::benchmarks::memcached {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::size_t longest_line = 2048;
constexpr std::size_t longest_line_of_keys = std::size_t{1} << 20;
constexpr std::int32_t largest_data = std::numeric_limits<std::int32_t>::max() - 2;

bool is_control(char character) { return static_cast<unsigned char>(character) < ' ' || character == '\x7f'; }

bool is_key(std::string_view text) {
  return !text.empty() && text.size() <= longest_key && std::none_of(text.begin(), text.end(), is_control);
}

void take_noreply(const Words& words, Request& request) { request.is_quiet = words.back() == "noreply"; }

// get <key>*, gets <key>*
void parse_get(const Words& words, Request& request) {
  if (words.size() < 2) return refuse(request, "ERROR");
  request.words.assign(words.begin() + 1, words.end());
  request.is_gets = words[0] == "gets";
  if (!std::all_of(request.words.begin(), request.words.end(), is_key)) refuse(request, bad_format);
}

// gat <exptime> <key>*, gats <exptime> <key>*
void parse_get_and_touch(const Words& words, Request& request) {
  if (words.size() < 2) return refuse(request, "ERROR");
  if (!read_time(words[1], request.exptime)) return refuse(request, "CLIENT_ERROR invalid exptime argument");
  request.words.assign(words.begin() + 2, words.end());
  request.touches = true;
  request.is_gets = words[0] == "gats";
  if (!std::all_of(request.words.begin(), request.words.end(), is_key)) refuse(request, bad_format);
}

// <set|add|replace|append|prepend> <key> <flags> <exptime> <bytes> [noreply], cas … <bytes> <cas unique> [noreply]
void parse_put(const Words& words, Request& request, Mode mode) {
  const std::size_t fewest = mode == Mode::cas ? 6 : 5;
  if (words.size() != fewest && words.size() != fewest + 1) return refuse(request, "ERROR");
  take_noreply(words, request);
  request.mode = mode;
  request.has_cas = mode == Mode::cas;
  std::int32_t bytes = -1;
  const bool understood = read_key(words[1], request) && read_number(words[2], request.flags) &&
                          read_time(words[3], request.exptime) && read_number(words[4], bytes) && bytes >= 0 &&
                          bytes <= largest_data && (!request.has_cas || read_number(words[5], request.cas));
  if (!understood) return refuse(request, bad_format);
  request.has_data = true;
  request.data_bytes = static_cast<std::size_t>(bytes);
}

// delete <key> [0] [noreply]
void parse_erase(const Words& words, Request& request) {
  if (words.size() < 2 || words.size() > 4) return refuse(request, "ERROR");
  if (words.size() > 2) {
    take_noreply(words, request);
    const std::size_t expected = (words[2] == "0" ? 3U : 2U) + (request.is_quiet ? 1U : 0U);
    if (words.size() != expected)
      return refuse(request, "CLIENT_ERROR bad command line format.  Usage: delete <key> [noreply]");
  }
  if (!read_key(words[1], request)) refuse(request, bad_format);
}

// incr <key> <value> [noreply], decr …
void parse_arithmetic(const Words& words, Request& request, bool is_decrement) {
  if (words.size() != 3 && words.size() != 4) return refuse(request, "ERROR");
  take_noreply(words, request);
  request.is_decrement = is_decrement;
  if (!read_key(words[1], request)) return refuse(request, bad_format);
  if (!read_number(words[2], request.delta)) refuse(request, "CLIENT_ERROR invalid numeric delta argument");
}

// touch <key> <exptime> [noreply]
void parse_touch(const Words& words, Request& request) {
  if (words.size() != 3 && words.size() != 4) return refuse(request, "ERROR");
  take_noreply(words, request);
  request.touches = true;
  if (!read_key(words[1], request)) return refuse(request, bad_format);
  if (!read_time(words[2], request.exptime)) refuse(request, "CLIENT_ERROR invalid exptime argument");
}

// flush_all [delay] [noreply]
void parse_flush_all(const Words& words, Request& request) {
  if (words.size() > 3) return refuse(request, "ERROR");
  take_noreply(words, request);
  const bool has_delay = words.size() > (request.is_quiet ? 2U : 1U);
  if (has_delay && !read_time(words[1], request.exptime)) refuse(request, "CLIENT_ERROR invalid exptime argument");
}

// verbosity <level> [noreply]
void parse_verbosity(const Words& words, Request& request) {
  if (words.size() != 2 && words.size() != 3) return refuse(request, "ERROR");
  take_noreply(words, request);
  if (!number_in<std::uint32_t>(words[1])) refuse(request, bad_format);
}

// cache_memlimit <mebibytes> [noreply]
void parse_memory_limit(const Words& words, Request& request) {
  if (words.size() != 2 && words.size() != 3) return refuse(request, "ERROR");
  take_noreply(words, request);
  if (!read_number(words[1], request.delta)) return refuse(request, "ERROR");
}

// Of what is there for administrators the executor knows the words.
void parse_words(const Words& words, Request& request) { request.words.assign(words.begin() + 1, words.end()); }

// A browser that somebody makes send the commands of an attacker, after a line such as "POST / HTTP/1.1": nothing of it
// is to be run. As in memcached, whose lines have at most 24 words.
bool is_http(const Words& words) {
  constexpr std::size_t most_words = 24;
  return words.size() < most_words && words.back().starts_with("HTTP/");
}

struct Command {
  std::string_view name;
  Verb verb;
  void (*parse)(const Words& words, Request& request);
};

// The most frequent first.
constexpr std::array commands{
    Command{"get", Verb::get, parse_get},
    Command{"set", Verb::put, [](const Words& words, Request& request) { parse_put(words, request, Mode::set); }},
    Command{"gets", Verb::get, parse_get},
    Command{"gat", Verb::get, parse_get_and_touch},
    Command{"gats", Verb::get, parse_get_and_touch},
    Command{"add", Verb::put, [](const Words& words, Request& request) { parse_put(words, request, Mode::add); }},
    Command{"replace", Verb::put,
            [](const Words& words, Request& request) { parse_put(words, request, Mode::replace); }},
    Command{"append", Verb::put, [](const Words& words, Request& request) { parse_put(words, request, Mode::append); }},
    Command{"prepend", Verb::put,
            [](const Words& words, Request& request) { parse_put(words, request, Mode::prepend); }},
    Command{"cas", Verb::put, [](const Words& words, Request& request) { parse_put(words, request, Mode::cas); }},
    Command{"delete", Verb::erase, parse_erase},
    Command{"incr", Verb::arithmetic,
            [](const Words& words, Request& request) { parse_arithmetic(words, request, false); }},
    Command{"decr", Verb::arithmetic,
            [](const Words& words, Request& request) { parse_arithmetic(words, request, true); }},
    Command{"touch", Verb::touch, parse_touch},
    Command{"flush_all", Verb::flush_all, parse_flush_all},
    Command{"stats", Verb::stats, parse_words},
    Command{"version", Verb::version, [](const Words&, Request&) {}},
    Command{"verbosity", Verb::verbosity, parse_verbosity},
    Command{"quit", Verb::quit, [](const Words&, Request&) {}},
    Command{"lru_crawler", Verb::lru_crawler, parse_words},
    Command{"cache_memlimit", Verb::cache_memlimit, parse_memory_limit},
    Command{"shutdown", Verb::shutdown, parse_words},
    Command{"watch", Verb::watch, parse_words},
};

// As new, with the memory it has.
void clear(Request& request) {
  auto words = std::move(request.words);
  words.clear();
  request = Request{};
  request.words = std::move(words);
}

}  // namespace

void refuse(Request& request, std::string_view answer) {
  request.verb = Verb::refused;
  request.refusal = answer;
}

bool read_key(std::string_view text, Request& request) {
  if (!is_key(text)) return false;
  request.key = ItemKey(text);
  return true;
}

void parse_line(std::string_view line, Request& request) {
  thread_local Words words;
  clear(request);
  split(line, words);
  if (words.empty()) return refuse(request, "ERROR");
  if (words[0].size() == 2 && words[0][0] == 'm') return parse_meta(words, request);
  const auto* const command = std::find_if(commands.begin(), commands.end(),
                                           [](const Command& candidate) { return candidate.name == words[0]; });
  if (command == commands.end()) {
    refuse(request, "ERROR");
    if (is_http(words)) request.verb = Verb::quit;
    return;
  }
  request.verb = command->verb;
  command->parse(words, request);
}

Line first_line(std::string_view input) {
  const auto end = input.find('\n');
  if (end != std::string_view::npos) {
    const bool has_return = end > 0 && input[end - 1] == '\r';
    return {Line::State::complete, input.substr(0, has_return ? end - 1 : end), end + 1};
  }
  const auto begin = std::min(input.find_first_not_of(' '), input.size());
  const auto rest = input.substr(begin);
  const bool has_many_keys = rest.starts_with("get ") || rest.starts_with("gets ");
  const bool is_endless = input.size() > (has_many_keys ? longest_line_of_keys : longest_line);
  return {is_endless ? Line::State::endless : Line::State::partial, {}, 0};
}

}  // namespace perdure::benchmarks::memcached
