#include <algorithm>

#include "base64.h"
#include "executor.h"
#include "uri_encoding.h"
#include "words.h"

/// The commands for administrators and monitoring. Items are of one class, 1: there are no slabs.
namespace perdure::benchmarks::memcached {
namespace {

using Words = std::vector<std::string_view>;

constexpr std::uint32_t most_classes = 63;
constexpr std::uint32_t only_class = 1;
constexpr std::uint64_t most_bytes_of_names = std::uint64_t{2} << 20;  // of one `stats cachedump`, as in memcached

enum class Classes : std::uint8_t { invalid, ours, others };

constexpr std::string_view crawler_disabled = "CLIENT_ERROR lru crawler disabled\r\n";
constexpr std::string_view invalid_class = "BADCLASS invalid class id\r\n";

// "all", or numbers of classes with commas between them
Classes classes_of(std::string_view text) {
  if (text == "all") return Classes::ours;
  auto result = Classes::others;
  while (!text.empty()) {
    const auto end = std::min(text.find(','), text.size());
    const auto number = number_in<std::uint32_t>(text.substr(0, end));
    if (!number || *number == 0 || *number > most_classes) return Classes::invalid;
    if (*number == only_class) result = Classes::ours;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

std::string metadata_of(std::string_view key, const Found& found) {
  std::string line = "key=" + uri_encoded(key);
  line += " exp=" + (found.expiry == never ? "-1" : std::to_string(found.expiry));
  line += " la=" + std::to_string(found.used) + " cas=" + std::to_string(found.cas);
  line += " fetch=" + std::string(found.is_fetched ? "yes" : "no");
  return line + " cls=1 size=" + std::to_string(found.bytes) + "\n";  // without a \r, as memcached has it
}

// Asks for the item, or for many by way of another server.
std::string command_of(std::string_view key, const Found& found) {
  return found.is_binary_key ? "mg " + base64_of(key) + " b\r\n" : "mg " + std::string(key) + "\r\n";
}

std::string name_of(std::string_view key, const Found& found) {
  return "ITEM " + std::string(key) + " [" + std::to_string(found.value_size) + " b; " + std::to_string(found.expiry) +
         " s]\r\n";
}

// \returns a line of the listing; or nothing, where items are counted only.
std::string line_of(Listing& listing, std::string_view key, const Found& found) {
  switch (listing.form) {
    case Listing::Form::metadata:
      return metadata_of(key, found);
    case Listing::Form::commands:
      return command_of(key, found);
    case Listing::Form::names:
      return name_of(key, found);
    default:
      ++listing.items_of_size[found.bytes];
      return {};
  }
}

std::string end_of(const Listing& listing) {
  std::string lines;
  for (const auto& [size, items] : listing.items_of_size) {
    lines += "STAT " + std::to_string(size) + " " + std::to_string(items) + "\r\n";
  }
  return lines + (listing.form == Listing::Form::commands ? "EN\r\n" : "END\r\n");
}

}  // namespace

void Executor::administer(const Request& request, std::string& reply) {
  switch (request.verb) {
    case Verb::stats:
      return stats(request.words, reply);
    case Verb::lru_crawler:
      return lru_crawler(request.words, reply);
    case Verb::cache_memlimit:
      return answer(request, set_memory_limit(request.delta), reply);
    case Verb::shutdown:
      return shutdown(request.words, reply);
    case Verb::watch:
      watch_ = streams_named(request.words);
      if (!watch_) reply += "ERROR\r\n";
      return;
    default:
      return;
  }
}

void Executor::stats(const Words& words, std::string& reply) {
  const std::string_view what = words.empty() ? std::string_view() : words[0];
  if (what == "cachedump") return list_names(words, reply);
  if (what == "detail") return detail(words, reply);
  if (what == "reset") {
    server_.reset();
    reply += "RESET\r\n";
  } else if (what == "sizes_enable" || what == "sizes_disable") {
    server_.controls().counts_sizes = what == "sizes_enable";
    reply += what == "sizes_enable" ? "STAT sizes_status enabled\r\n" : "STAT sizes_status disabled\r\n";
  } else if (what == "sizes") {
    list_sizes(reply);
  } else if (const auto lines = server_.stats(what)) {
    reply += *lines;
    reply += "END\r\n";
  } else {
    reply += "ERROR\r\n";
  }
}

// Counted when somebody asks, not as items come and go. A client must have allowed that: it looks at all of them.
void Executor::list_sizes(std::string& reply) {
  if (server_.controls().counts_sizes) {
    listing_ = {Listing::Form::sizes};
  } else {
    reply += "STAT sizes_status disabled\r\nEND\r\n";
  }
}

// stats detail on|off|dump
void Executor::detail(const Words& words, std::string& reply) {
  const std::string_view what = words.size() > 1 ? words[1] : std::string_view();
  if (what == "on" || what == "off") {
    prefixes_.turn(what == "on");
    reply += "OK\r\n";
  } else if (what == "dump") {
    reply += prefixes_.text() + "END\r\n";
  } else {
    reply += "CLIENT_ERROR usage: stats detail on|off|dump\r\n";
  }
}

// stats cachedump <class> <items, or 0 for as many as 2 MiB hold>
void Executor::list_names(const Words& words, std::string& reply) {
  if (words.size() < 3) {
    reply += "CLIENT_ERROR bad command line\r\n";
    return;
  }
  const auto number = number_in<std::uint32_t>(words[1]);
  const auto most = number_in<std::uint32_t>(words[2]);
  if (!number || !most) {
    reply += "CLIENT_ERROR bad command line format\r\n";
  } else if (*number > most_classes) {
    reply += "CLIENT_ERROR Illegal slab id\r\n";
  } else if (*number != only_class) {
    reply += "END\r\n";
  } else {
    listing_ = {Listing::Form::names};
    if (*most != 0) listing_.items_left = *most;
    listing_.bytes_left = most_bytes_of_names;
  }
}

Listing Executor::take_listing() { return std::exchange(listing_, {}); }

void Executor::go_on(Listing& listing, std::string& reply) {
  const bool is_over = listing.part == store_.parts() || listing.items_left == 0 || listing.bytes_left == 0;
  if (is_over) {
    reply += end_of(listing);
    listing = {};
    return;
  }
  store_.list(listing.part++, wall_clock(), harvest_);
  for (std::size_t i = 0; i < harvest_.count() && listing.items_left > 0; ++i) {
    const auto& found = harvest_.found(i);
    const auto line = line_of(listing, harvest_.key(i), found);
    if (line.size() > listing.bytes_left) {
      listing.bytes_left = 0;
      break;
    }
    listing.bytes_left -= line.size();
    --listing.items_left;
    reply += line;
  }
  harvest_.shrink();
}

// lru_crawler enable|disable, sleep <microseconds>, tocrawl <items>, crawl|metadump|mgdump <classes>
void Executor::lru_crawler(const Words& words, std::string& reply) {
  const std::string_view what = words.empty() ? std::string_view() : words[0];
  if (words.size() == 1) {
    reply += turn_crawler(what);
  } else if (words.size() != 2) {
    reply += "ERROR\r\n";
  } else if (what == "crawl") {
    reply += crawl(words[1]);
  } else if (what == "metadump" || what == "mgdump") {
    reply += dump(what == "metadump" ? Listing::Form::metadata : Listing::Form::commands, words[1]);
  } else if (what == "sleep" || what == "tocrawl") {
    reply += set_crawler(what == "sleep", words[1]);
  } else {
    reply += "ERROR\r\n";
  }
}

std::string_view Executor::turn_crawler(std::string_view what) {
  auto& crawls = server_.controls().crawls;
  if (what == "enable") return crawls.exchange(true) ? "ERROR failed to start lru crawler thread\r\n" : "OK\r\n";
  if (what != "disable") return "ERROR\r\n";
  crawls = false;
  return "OK\r\n";
}

std::string_view Executor::set_crawler(bool sets_sleep, std::string_view word) {
  constexpr std::uint32_t second = 1'000'000;
  const auto number = number_in<std::uint32_t>(word);
  if (!number) return "CLIENT_ERROR bad command line format\r\n";
  if (sets_sleep && *number > second) return "CLIENT_ERROR sleep must be one second or less\r\n";
  (sets_sleep ? server_.controls().crawler_sleep_us : server_.controls().crawled_at_once) = *number;
  return "OK\r\n";
}

std::string_view Executor::crawl(std::string_view which) {
  if (!server_.controls().crawls) return crawler_disabled;
  if (which == "hash") return "ERROR an unknown error happened\r\n";  // there is no such crawler
  const auto classes = classes_of(which);
  if (classes == Classes::invalid) return invalid_class;
  if (classes == Classes::ours) server_.crawl();
  return "OK\r\n";
}

std::string_view Executor::dump(Listing::Form form, std::string_view which) {
  if (!server_.controls().crawls) return crawler_disabled;
  const auto classes = which == "hash" ? Classes::ours : classes_of(which);
  if (classes == Classes::invalid) return invalid_class;
  if (classes == Classes::others) return form == Listing::Form::commands ? "EN\r\n" : "END\r\n";
  listing_ = {form};
  return {};
}

std::string_view Executor::set_memory_limit(std::uint64_t mebibytes) {
  constexpr std::uint64_t fewest = 8;
  constexpr std::uint64_t most = 1'000'000'000;
  if (mebibytes > most) return "MEMLIMIT_ADJUST_FAILED input value is megabytes not bytes";
  if (mebibytes < fewest) return "MEMLIMIT_TOO_SMALL cannot set maxbytes to less than 8m";
  store_.set_memory_limit(mebibytes << 20);
  return "OK";
}

// shutdown [graceful]: the connections end with the server.
void Executor::shutdown(const Words& words, std::string& reply) {
  const bool is_valid = words.empty() || (words.size() == 1 && words[0] == "graceful");
  if (!server_.allows_shutdown()) {
    reply += "ERROR: shutdown not enabled\r\n";
  } else if (!is_valid) {
    reply += "CLIENT_ERROR invalid shutdown mode\r\n";
  } else {
    server_.shut_down();
  }
}

}  // namespace perdure::benchmarks::memcached
