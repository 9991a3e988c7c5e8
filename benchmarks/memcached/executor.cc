#include "executor.h"

#include <new>

#include "decimal.h"

namespace perdure::benchmarks::memcached {
namespace {

constexpr std::string_view end_of_line = "\r\n";
const std::string version_answer = "VERSION " + std::string(server_version);

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
  const auto begin = reply.size();
  try {
    run_or_throw(request, data, reply);
  } catch (const std::bad_alloc&) {  // the pool is full, and the transaction has changed nothing
    counters_.add(Count::store_no_memory);
    reply.resize(begin);
    answer(request, "SERVER_ERROR out of memory storing object", reply);
  }
  harvest_.shrink();
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
  if (request.mode == Mode::set || request.verb == Verb::meta_put) store_.erase(request.key, Erase{}, wall_clock());
  if (request.is_quiet && request.verb == Verb::put) return;
  reply += "SERVER_ERROR object too large for cache\r\n";
}

void Executor::refuse_bad_data(const Request& request, std::string& reply) {
  if (request.is_quiet && request.verb == Verb::put) return;
  reply += "CLIENT_ERROR bad data chunk\r\n";
}

void Executor::count_fetch(bool touches, bool hits) {
  counters_.add(touches ? Count::cmd_touch : Count::cmd_get);
  if (touches) counters_.add(hits ? Count::touch_hits : Count::touch_misses);
  counters_.add(hits ? Count::get_hits : Count::get_misses);
}

void Executor::get(const Request& request, std::string& reply) {
  Fetch fetch;
  fetch.touches = request.touches;
  fetch.expiry = expiry_of(request.exptime, now_);
  store_.fetch(request.words, fetch, now_, harvest_);
  for (std::size_t i = 0; i < request.words.size(); ++i) {
    const Found& found = harvest_.found(i);
    count_fetch(request.touches, found.exists);
    prefixes_.count_get(request.words[i], found.exists);
    if (!found.exists) continue;
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
  const auto result = store_.put(request.key, put, data, now_);
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
  const auto outcome = store_.erase(request.key, erase, now_);
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
  const auto result = store_.add(request.key, arithmetic, now_);
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
  store_.fetch(request.key, fetch, now_, harvest_);
  const bool exists = harvest_.found(0).exists;
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
