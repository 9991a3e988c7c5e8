#include <algorithm>

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

// "all", "hash", or numbers of classes with commas between them
Classes classes_of(std::string_view text, bool takes_hash) {
  if (text == "all" || (takes_hash && text == "hash")) return Classes::ours;
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

std::string name_of(std::string_view key, const Found& found) {
  return "ITEM " + std::string(key) + " [" + std::to_string(found.value_size) + " b; " + std::to_string(found.expiry) +
         " s]\r\n";
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
  } else if (what == "sizes_enable" || what == "sizes_disable") {  // sizes are never tracked
    reply += "STAT sizes_status disabled\r\n";
  } else if (const auto lines = server_.stats(what)) {
    reply += *lines;
    reply += "END\r\n";
  } else {
    reply += "ERROR\r\n";
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
    listing.form = Listing::Form::none;
    reply += "END\r\n";
    return;
  }
  store_.list(listing.part++, wall_clock(), harvest_);
  const bool is_metadata = listing.form == Listing::Form::metadata;
  for (std::size_t i = 0; i < harvest_.count() && listing.items_left > 0; ++i) {
    const auto& found = harvest_.found(i);
    const auto line = is_metadata ? metadata_of(harvest_.key(i), found) : name_of(harvest_.key(i), found);
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

// lru_crawler enable|disable, sleep <microseconds>, tocrawl <items>, crawl <classes>, metadump <classes>
void Executor::lru_crawler(const Words& words, std::string& reply) {
  const std::string_view what = words.empty() ? std::string_view() : words[0];
  if (words.size() == 1) {
    reply += turn_crawler(what);
  } else if (words.size() == 2 && (what == "crawl" || what == "metadump")) {
    reply += crawl(what == "metadump", words[1]);
  } else if (words.size() == 2 && (what == "sleep" || what == "tocrawl")) {
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

std::string_view Executor::crawl(bool lists, std::string_view which) {
  if (!server_.controls().crawls) return "CLIENT_ERROR lru crawler disabled\r\n";
  const auto classes = classes_of(which, lists);
  if (classes == Classes::invalid) return "BADCLASS invalid class id\r\n";
  if (!lists) {
    if (classes == Classes::ours) server_.crawl();
    return "OK\r\n";
  }
  if (classes == Classes::others) return "END\r\n";
  listing_ = {Listing::Form::metadata};
  return {};
}

std::string_view Executor::set_memory_limit(std::uint64_t mebibytes) {
  constexpr std::uint64_t fewest = 8;
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
