#include "base64.h"
#include "executor.h"

/// The answers to meta commands: a code of two letters, and for each flag that asks for something what it asks for, in
/// the order of the request.
namespace perdure::benchmarks::memcached {
namespace {

constexpr std::string_view end_of_line = "\r\n";

void append_flag(std::string& reply, char letter, std::uint64_t number) {
  reply += ' ';
  reply += letter;
  append_number(reply, number);
}

void append_opaque(std::string& reply, std::string_view flag) {
  reply += ' ';
  reply += flag;
}

void append_key(std::string& reply, const ItemKey& key, bool is_binary) {
  reply += " k";
  if (!is_binary) {
    reply += key.text();
    return;
  }
  reply += base64_of(key.text());
  reply += " b";
}

void append_remaining(std::string& reply, UnixSeconds expiry, UnixSeconds now) {
  if (expiry == never) {
    reply += " t-1";
  } else {
    append_flag(reply, 't', expiry - now);
  }
}

// O and k, which every answer may repeat.
void append_identity(std::string& reply, const Request& request, std::string_view flag, bool is_binary_key) {
  if (flag[0] == 'O') append_opaque(reply, flag);
  if (flag[0] == 'k') append_key(reply, request.key, is_binary_key);
}

void append_identities(std::string& reply, const Request& request) {
  for (const auto flag : request.words) append_identity(reply, request, flag, request.is_binary_key);
  reply += end_of_line;
}

void append_found(std::string& reply, const Request& request, const Found& found, UnixSeconds now) {
  UnixSeconds expiry = found.expiry;
  for (const auto flag : request.words) {
    switch (flag[0]) {
      case 'T':
        expiry = found.new_expiry;
        break;  // what `t` says depends on which of them comes first
      case 's':
        append_flag(reply, 's', found.value_size);
        break;
      case 't':
        append_remaining(reply, expiry, now);
        break;
      case 'c':
        append_flag(reply, 'c', found.cas);
        break;
      case 'f':
        append_flag(reply, 'f', found.flags);
        break;
      case 'l':
        append_flag(reply, 'l', now - found.used);
        break;
      case 'h':
        append_flag(reply, 'h', found.is_fetched ? 1 : 0);
        break;
      default:
        append_identity(reply, request, flag, found.is_binary_key);
    }
  }
  if (found.is_won_by_other) reply += " Z";
  if (found.is_stale) reply += " X";
  if (found.is_won) reply += " W";
  reply += end_of_line;
}

std::string_view code_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "HD";
    case Outcome::exists:
      return "EX";
    case Outcome::not_found:
      return "NF";
    default:
      return "NS";
  }
}

}  // namespace

void Executor::meta_get(const Request& request, std::string& reply) {
  Fetch fetch;
  fetch.is_meta = true;
  fetch.touches = request.touches;
  fetch.wants_value = request.wants_value;
  fetch.leaves_recency = request.leaves_recency;
  fetch.vivifies = request.vivifies;
  fetch.recaches = request.recaches;
  fetch.is_binary_key = request.is_binary_key;
  fetch.expiry = expiry_of(request.exptime, now_);
  fetch.vivified_expiry = expiry_of(request.vivified_exptime, now_);
  fetch.recache_before = expiry_of(request.recache_exptime, now_);
  store_.fetch(request.key, fetch, now_, harvest_, trace_);
  account_for_trace();
  const Found& found = harvest_.found(0);
  count_fetch(request.touches, found);
  // One that has just been made was not there.
  const auto presence = found.is_created ? Presence::absent : found.presence;
  reporter_.tell_lookup(request, request.key.text(), presence, found.value_size);
  if (!found.exists()) {
    if (request.is_quiet) return;
    reply += "EN";
    return append_identities(reply, request);
  }
  reply += request.wants_value ? "VA " : "HD";
  if (request.wants_value) append_number(reply, found.value_size);
  append_found(reply, request, found, now_);
  if (!request.wants_value) return;
  reply += harvest_.value(0);
  reply += end_of_line;
}

void Executor::meta_put(const Request& request, std::string_view data, std::string& reply) {
  const auto result = put_item(request, data);
  if (request.is_quiet && result.outcome == Outcome::done) return;
  reply += code_of(result.outcome);
  for (const auto flag : request.words) {
    if (flag[0] == 'c') append_flag(reply, 'c', result.cas);
    append_identity(reply, request, flag, request.is_binary_key);
  }
  reply += end_of_line;
}

void Executor::meta_erase(const Request& request, std::string& reply) {
  const auto outcome = erase_item(request);
  if (request.is_quiet && outcome == Outcome::done) return;
  reply += code_of(outcome);
  append_identities(reply, request);
}

void Executor::meta_arithmetic(const Request& request, std::string& reply) {
  const auto result = add_number(request);
  if (result.outcome == Outcome::no_number) {
    reply += "CLIENT_ERROR cannot increment or decrement non-numeric value\r\n";
    return;
  }
  if (result.outcome != Outcome::done) {
    reply += code_of(result.outcome);
    return append_identities(reply, request);
  }
  if (request.is_quiet) return;
  std::string digits;
  append_number(digits, result.number);
  reply += request.wants_value ? "VA " : "HD";
  if (request.wants_value) append_number(reply, digits.size());
  UnixSeconds expiry = result.expiry;
  for (const auto flag : request.words) {
    if (flag[0] == 'T') expiry = result.new_expiry;
    if (flag[0] == 't') append_remaining(reply, expiry, now_);
    if (flag[0] == 'c') append_flag(reply, 'c', result.cas);
    append_identity(reply, request, flag, request.is_binary_key);
  }
  reply += end_of_line;
  if (request.wants_value) reply += digits + "\r\n";
}

void Executor::meta_debug(const Request& request, std::string& reply) {
  counters_.add(Count::cmd_meta);
  Fetch fetch;
  fetch.wants_value = false;
  fetch.leaves_recency = true;
  store_.fetch(request.key, fetch, now_, harvest_, trace_);
  const Found& found = harvest_.found(0);
  reporter_.tell_lookup(request, request.key.text(), found.presence, found.value_size);
  if (!found.exists()) {
    reply += "EN\r\n";
    return;
  }
  reply += "ME ";
  reply += found.is_binary_key ? base64_of(request.key.text()) : std::string(request.key.text());
  const std::int64_t since_expiry = found.expiry == never ? -1 : std::int64_t{now_} - found.expiry;
  reply += " exp=" + std::to_string(since_expiry) + " la=" + std::to_string(now_ - found.used) +
           " cas=" + std::to_string(found.cas) + " fetch=" + (found.is_fetched ? "yes" : "no") +
           " cls=1 size=" + std::to_string(found.bytes) + "\r\n";
}

}  // namespace perdure::benchmarks::memcached
