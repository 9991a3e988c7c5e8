#include "executor.h"

#include <new>

#include "decimal.h"

namespace perdure::benchmarks::memcached {
namespace {

constexpr std::string_view end_of_line = "\r\n";
const std::string version_answer = "VERSION " + std::string(server_version);

// As lines for watchers name it.
std::string_view name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "stored";
    case Outcome::exists:
      return "exists";
    case Outcome::not_found:
      return "not_found";
    default:
      return "not_stored";
  }
}

std::string_view answer_to_put(Outcome outcome) {
  switch (outcome) {
    case Outcome::done:
      return "STORED";
    case Outcome::exists:
      return "EXISTS";
    case Outcome::not_found:
      return "NOT_FOUND";
    default:
      return "NOT_STORED";
  }
}

}  // namespace

void append_number(std::string& text, std::uint64_t number) { text += digits_of(number).text(); }

void Executor::run(const Request& request, std::string_view data, std::string& reply) {
  now_ = wall_clock();
  reporter_.begin();
  trace_.begin(reporter_.is_watched());
  const auto begin = reply.size();
  try {
    run_or_throw(request, data, reply);
  } catch (const std::bad_alloc&) {  // the pool is full, and the transaction has changed nothing
    reply.resize(begin);
    refuse_without_memory(request, data, reply);
  }
  harvest_.shrink();
}

void Executor::refuse_without_memory(const Request& request, std::string_view data, std::string& reply) {
  counters_.add(Count::store_no_memory);
  if (request.has_data) reporter_.tell_store(request, "no_memory", expiry_of(request.exptime, now_), data.size(), now_);
  answer(request, "SERVER_ERROR out of memory storing object", reply);
}

void Executor::run_or_throw(const Request& request, std::string_view data, std::string& reply) {
  switch (request.verb) {
    case Verb::get:
      return get(request, reply);
    case Verb::put:
      return put(request, data, reply);
    case Verb::erase:
      return erase(request, reply);
    case Verb::arithmetic:
      return arithmetic(request, reply);
    case Verb::touch:
      return touch(request, reply);
    case Verb::flush_all:
      return flush_all(request, reply);
    case Verb::version:
      return answer(request, version_answer, reply);
    case Verb::verbosity:
      return answer(request, "OK", reply);
    case Verb::meta_noop:
      return answer(request, "MN", reply);
    case Verb::meta_get:
      return meta_get(request, reply);
    case Verb::meta_put:
      return meta_put(request, data, reply);
    case Verb::meta_erase:
      return meta_erase(request, reply);
    case Verb::meta_arithmetic:
      return meta_arithmetic(request, reply);
    case Verb::meta_debug:
      return meta_debug(request, reply);
    case Verb::refused:
      return answer(request, request.refusal, reply);
    case Verb::quit:
      return;
    default:
      administer(request, reply);
  }
}

// noreply silences everything, errors too, as in memcached.
void Executor::answer(const Request& request, std::string_view text, std::string& reply) const {
  if (request.is_quiet) return;
  reply += text;
  reply += end_of_line;
}

void Executor::refuse_too_large(const Request& request, std::string& reply) {
  counters_.add(Count::store_too_large);
  // What the client wanted to overwrite must not be there as if it had not.
  now_ = wall_clock();
  reporter_.begin();
  trace_.begin(reporter_.is_watched());
  reporter_.tell_store(request, "too_large", expiry_of(request.exptime, now_), request.data_bytes, now_);
  if (request.mode == Mode::set || request.verb == Verb::meta_put) {
    store_.erase(request.key, Erase{}, now_, trace_);
    reporter_.tell_lookup(request, request.key.text(), trace_.seen(), trace_.seen_size());
  }
  if (request.is_quiet && request.verb == Verb::put) return;
  reply += "SERVER_ERROR object too large for cache\r\n";
}

void Executor::refuse_bad_data(const Request& request, std::string& reply) {
  if (request.is_quiet && request.verb == Verb::put) return;
  reply += "CLIENT_ERROR bad data chunk\r\n";
}

// What the transaction that has committed did to other items.
void Executor::account_for_trace() {
  counters_.add(Count::reclaimed, trace_.reclaimed().items);
  counters_.add(Count::expired_unfetched, trace_.reclaimed().never_fetched);
  if (trace_.evictions().empty()) return;
  for (const Eviction& eviction : trace_.evictions()) {
    counters_.add(Count::evictions);
    if (eviction.expiry != never) counters_.add(Count::evicted_nonzero);
    if (!eviction.is_fetched) counters_.add(Count::evicted_unfetched);
    server_.note_evicted_age(now_ - eviction.used);
  }
  reporter_.tell_evictions(trace_, now_);
}

void Executor::tell_store(const Request& request, Outcome outcome, UnixSeconds expiry, std::size_t data_bytes) {
  if (!reporter_.is_watched()) return;
  const bool is_stored = outcome == Outcome::done;
  reporter_.tell_lookup(request, request.key.text(), trace_.seen(), trace_.seen_size());
  reporter_.tell_store(request, name_of(outcome), is_stored ? trace_.stored_expiry() : expiry,
                       is_stored ? trace_.stored_size() : data_bytes, now_);
}

void Executor::count_lookup(Presence presence) {
  if (presence == Presence::expired) counters_.add(Count::get_expired);
  if (presence == Presence::flushed) counters_.add(Count::get_flushed);
}

void Executor::count_fetch(bool touches, const Found& found) {
  const bool hits = found.exists();
  counters_.add(touches ? Count::cmd_touch : Count::cmd_get);
  if (touches) counters_.add(hits ? Count::touch_hits : Count::touch_misses);
  counters_.add(hits ? Count::get_hits : Count::get_misses);
  count_lookup(found.presence);
  if (found.is_created) counters_.add(Count::total_items);
}

void Executor::get(const Request& request, std::string& reply) {
  Fetch fetch;
  fetch.touches = request.touches;
  fetch.expiry = expiry_of(request.exptime, now_);
  store_.fetch(request.words, fetch, now_, harvest_, trace_);
  for (std::size_t i = 0; i < request.words.size(); ++i) {
    const Found& found = harvest_.found(i);
    count_fetch(request.touches, found);
    reporter_.tell_lookup(request, request.words[i], found.presence, found.value_size);
    prefixes_.count_get(request.words[i], found.exists());
    if (!found.exists()) continue;
    reply += "VALUE ";
    reply += request.words[i];
    reply += ' ';
    append_number(reply, found.flags);
    reply += ' ';
    append_number(reply, found.value_size);
    if (request.is_gets) append_number(reply += ' ', found.cas);
    reply += end_of_line;
    reply += harvest_.value(i);
    reply += end_of_line;
  }
  reply += "END\r\n";
}

PutResult Executor::put_item(const Request& request, std::string_view data) {
  Put put;
  put.mode = request.mode;
  put.has_cas = request.has_cas;
  put.invalidates = request.invalidates;
  put.is_binary_key = request.is_binary_key;
  put.flags = request.flags;
  put.expiry = expiry_of(request.exptime, now_);
  put.cas = request.cas;
  const auto result = store_.put(request.key, put, data, now_, trace_);
  account_for_trace();
  tell_store(request, result.outcome, put.expiry, data.size());
  if (result.outcome == Outcome::done) counters_.add(Count::total_items);
  counters_.add(Count::cmd_set);
  prefixes_.count_set(request.key.text());
  if (put.mode == Mode::cas) {
    counters_.add(result.outcome == Outcome::done        ? Count::cas_hits
                  : result.outcome == Outcome::not_found ? Count::cas_misses
                                                         : Count::cas_badval);
  }
  return result;
}

void Executor::put(const Request& request, std::string_view data, std::string& reply) {
  answer(request, answer_to_put(put_item(request, data).outcome), reply);
}

Outcome Executor::erase_item(const Request& request) {
  Erase erase;
  erase.has_cas = request.has_cas;
  erase.invalidates = request.invalidates;
  erase.touches = request.touches;
  erase.expiry = expiry_of(request.exptime, now_);
  erase.cas = request.cas;
  const auto outcome = store_.erase(request.key, erase, now_, trace_);
  reporter_.tell_lookup(request, request.key.text(), trace_.seen(), trace_.seen_size());
  if (outcome == Outcome::done && !erase.invalidates) reporter_.tell_deletion(request, trace_.seen_size());
  counters_.add(outcome == Outcome::done ? Count::delete_hits : Count::delete_misses);
  prefixes_.count_erase(request.key.text());
  return outcome;
}

void Executor::erase(const Request& request, std::string& reply) {
  answer(request, erase_item(request) == Outcome::done ? "DELETED" : "NOT_FOUND", reply);
}

ArithmeticResult Executor::add_number(const Request& request) {
  Arithmetic arithmetic;
  arithmetic.is_decrement = request.is_decrement;
  arithmetic.has_cas = request.has_cas;
  arithmetic.vivifies = request.vivifies;
  arithmetic.touches = request.touches;
  arithmetic.is_binary_key = request.is_binary_key;
  arithmetic.delta = request.delta;
  arithmetic.initial = request.initial;
  arithmetic.cas = request.cas;
  arithmetic.expiry = expiry_of(request.exptime, now_);
  arithmetic.vivified_expiry = expiry_of(request.vivified_exptime, now_);
  const auto result = store_.add(request.key, arithmetic, now_, trace_);
  account_for_trace();
  if (result.is_created) {
    counters_.add(Count::total_items);
    tell_store(request, result.outcome, arithmetic.vivified_expiry, 0);
  } else {
    reporter_.tell_lookup(request, request.key.text(), trace_.seen(), trace_.seen_size());
  }
  if (result.outcome == Outcome::done) counters_.add(request.is_decrement ? Count::decr_hits : Count::incr_hits);
  if (result.outcome == Outcome::not_found)
    counters_.add(request.is_decrement ? Count::decr_misses : Count::incr_misses);
  return result;
}

void Executor::arithmetic(const Request& request, std::string& reply) {
  const auto result = add_number(request);
  if (result.outcome == Outcome::not_found) return answer(request, "NOT_FOUND", reply);
  if (result.outcome == Outcome::no_number)
    return answer(request, "CLIENT_ERROR cannot increment or decrement non-numeric value", reply);
  answer(request, digits_of(result.number).text(), reply);
}

void Executor::touch(const Request& request, std::string& reply) {
  Fetch fetch;
  fetch.touches = true;
  fetch.wants_value = false;
  fetch.leaves_recency = true;
  fetch.expiry = expiry_of(request.exptime, now_);
  store_.fetch(request.key, fetch, now_, harvest_, trace_);
  const Found& found = harvest_.found(0);
  const bool exists = found.exists();
  count_lookup(found.presence);
  reporter_.tell_lookup(request, request.key.text(), found.presence, found.value_size);
  counters_.add(Count::cmd_touch);
  counters_.add(exists ? Count::touch_hits : Count::touch_misses);
  answer(request, exists ? "TOUCHED" : "NOT_FOUND", reply);
}

void Executor::flush_all(const Request& request, std::string& reply) {
  counters_.add(Count::cmd_flush);
  store_.flush(request.exptime > 0 ? expiry_of(request.exptime, now_) : now_, now_);
  answer(request, "OK", reply);
}

}  // namespace perdure::benchmarks::memcached
