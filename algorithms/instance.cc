// One library: an algorithm, a mode and a persistence domain, named by the build (algorithms/libraries.json):
//   PERDURE_ALGORITHM_HEADER  "algorithms/orec_lazy.h"
//   PERDURE_ALGORITHM         OrecLazy
//   PERDURE_MODE              ip
//   PERDURE_SWITCHES          switches.deferred_flushing=false   (what differs from the mode; usually nothing)
//   PERDURE_LIBRARY_NAME      "orec_lazy_ip"
//   PERDURE_FACTS             facts.algorithm="orec_lazy", facts.durable=true   (its row in that table)
// and the entry points of libs/abi/entry_points.h over it, each one line.
#include PERDURE_ALGORITHM_HEADER

#include <string_view>
#include <type_traits>

#include "abi/entry_points.h"
#include "algorithms/mode.h"
#include "entry/access.h"
#include "entry/allocation.h"
#include "entry/code_addresses.h"
#include "entry/counting.h"
#include "entry/parts.h"
#include "log/turns.h"
#include "persist/domain.h"
#include "persist/instance.h"
#include "tx/transaction.h"

namespace perdure {
namespace {

constexpr mode::Switches switches = [] {
  mode::Switches switches = mode::PERDURE_MODE;
  PERDURE_SWITCHES;
  return switches;
}();

using Algorithm = algorithms::PERDURE_ALGORITHM<mode::Mode<switches>>;
static_assert(tx::Algorithm<Algorithm>);

using Runner = tx::RunnerOf<Algorithm>;
static_assert(tx::Runner<Runner>);

/// Of pointers alone, and where pools outlive the process.
template <class Value>
Value as_stored(Value* place, Value value) {
  if constexpr (std::is_pointer_v<Value> && Algorithm::Mode::durable) return entry::as_stored(place, value);
  return value;
}

/// No more than a jump where each thread runs its own operations.
template <class R>
void run_operation(R& runner, tx::Operation operation, const abi::OperationFrame& frame) {
  if constexpr (tx::RunsForOthers<R>) {
    [[maybe_unused]] const persistence::Domain::Transaction running;
    runner.run_operation(operation, frame);
  } else {
    perdure_run(operation.body, operation.closure);
  }
}

/// How many bytes of it may be used: threads that run the same operation agree upon that (tx/queueing.h).
template <class R>
std::size_t size_of_block(R& runner, void* block) {
  if constexpr (requires { runner.size_of_block(block); })
    return runner.size_of_block(block);
  else
    return tx::usable_block_size(block);
}

/// The calling thread's transaction. `constinit` and trivially destructible: an access reaches it without a guard.
thread_local constinit Runner transaction;

}  // namespace

/// What the table says, which must be what the code does: yardsticks have no row.
constexpr LibraryFacts facts = [] {
  LibraryFacts facts;
  PERDURE_FACTS;
  return facts;
}();
static_assert(facts.mode == std::string_view("yardstick") ||
              (facts.durable == Algorithm::Mode::durable &&
               (facts.undo_log || facts.replicas) == Algorithm::traits.writes_in_place &&
               facts.records == Algorithm::Mode::self_validating_records &&
               facts.doomed_readers == Algorithm::traits.has_doomed_readers));
static_assert(facts.mode == std::string_view("yardstick") ||
              facts.chunks == (mode::PERDURE_MODE.granularity != mode::byte_exact));

const Instance instance = {.name = PERDURE_LIBRARY_NAME,
                           .durable = Algorithm::Mode::durable,
                           .shades = Algorithm::Mode::shades,
                           .granularity = Algorithm::Mode::PoolEntry::chunk_bytes,
                           .locks_in_hardware = Algorithm::Mode::locks_in_hardware,
                           .runs_in_hardware = Algorithm::Mode::runs_in_hardware,
                           .waits_for_retirement = tx::waits_for_retirement<Algorithm>,
                           .facts = facts,
                           .optimisations = {.last_allocation_tracking = Algorithm::Mode::last_allocation_tracking,
                                             .fence_pipelining = Algorithm::Mode::fence_pipelining,
                                             .deferred_flushing = Algorithm::Mode::deferred_flushing,
                                             .coalesced_flushes = Algorithm::Mode::coalesced_flushes,
                                             .combined_activation = Algorithm::Mode::combined_activation,
                                             .immediate_reuse = Algorithm::Mode::immediate_reuse,
                                             .private_stack = Algorithm::Mode::private_stack}};

namespace entry {

/// In every program, also where a sanitizer has operators of its own, which give way to these.
[[gnu::used]] static void (*const with_operators)() = link_operators;

void* transactional_allocate(std::size_t bytes, std::size_t alignment) {
  return transaction.allocate(bytes, alignment);
}
std::size_t transactional_size(void* block) { return size_of_block(transaction, block); }
std::size_t use_whole_block(void* block) {
  const std::size_t bytes = size_of_block(transaction, block);
  transaction.memory().use_bytes(block, bytes);
  return bytes;
}
void transactional_free(void* block) { free(transaction, block); }
void for_each_allocated(BlockFunction function, void* context) {
  transaction.memory().captured().for_each(
      [&](void* block) { function(block, tx::usable_block_size(block), context); });
}
void for_each_freed(BlockFunction function, void* context) {
  transaction.memory().for_each_freed([&](void* block) { function(block, tx::usable_block_size(block), context); });
}
tx::ExceptionState& transactional_exceptions() { return transaction.exceptions(); }
bool dies_with_transaction(const void* address) { return transaction.is_own(address); }
void note_other_change(const void* object, const char* place) { note_other_change(transaction, object, place); }
tx::Handlers& transactional_handlers() { return transaction.handlers(); }
void forget_unloaded_code() {
  if constexpr (tx::HelpsOthers<Algorithm>) log::turns.forget_code();
}
const bool runs_for_others = tx::RunsForOthers<Runner>;
[[gnu::noinline]] bool is_in_transaction() { return transaction.is_running(); }
bool is_in_serial_transaction() { return transaction.is_serial(); }

}  // namespace entry
}  // namespace perdure

using perdure::transaction;

extern "C" {

/// Not inlined, also at link time: a fiber may go on in another thread after a transaction, and the compiler takes the
/// address of a thread's variable to be the same throughout a function.
[[gnu::noinline]] void perdure_run(void (*body)(void*), void* closure) {
  [[maybe_unused]] const perdure::persistence::Domain::Transaction running;
  transaction.run({body, closure});
}

[[gnu::noinline]] void perdure_run_operation(void (*body)(void*), void* closure,
                                             const perdure::abi::OperationFrame* frame) {
  perdure::run_operation(transaction, {body, closure}, *frame);
}

void perdure_run_serial(void (*body)(void*), void* closure) {
  [[maybe_unused]] const perdure::persistence::Domain::Transaction running;
  transaction.run_serially({body, closure});
}

void perdure_become_serial(void) { transaction.become_serial(); }

/// Not inlined either, so that a part has a frame of its own.
[[gnu::noinline]] int perdure_nested(int (*body)(void*), void* argument) {
  return transaction.is_running() ? perdure::entry::run_part(transaction, body, argument)
                                  : perdure_transaction(body, argument);
}

void perdure_retry(void) { perdure::entry::retry(transaction); }

int perdure_retry_unless(const perdure_cancellation* cancellation, std::uint64_t nanoseconds) {
  return perdure::entry::retry_unless(transaction, cancellation == nullptr ? nullptr : &cancellation->is_cancelled,
                                      nanoseconds);
}

void perdure_counter_add(std::int64_t* word, std::int64_t amount) { perdure::entry::add(transaction, word, amount); }
std::int64_t perdure_counter_value(const std::int64_t* word) {
  return perdure::entry::counter_value(transaction, word);
}
void perdure_counter_forget(std::int64_t* word) { perdure::entry::forget_additions(transaction, word); }

#define PERDURE_TYPE(suffix, type)                                                                       \
  type perdure_read_##suffix(type const* address) { return perdure::entry::read(transaction, address); } \
  void perdure_write_##suffix(type* address, type value) {                                               \
    perdure::entry::write(transaction, address, perdure::as_stored(address, value));                     \
  }
#include "abi/types.def"

void perdure_copied_pointers(void* to, const void* from, std::uint64_t words) {
  if constexpr (perdure::Algorithm::Mode::durable) perdure::entry::translate_copied(transaction, to, from, words);
}

void perdure_read_bytes(void* to, const void* from, std::size_t size) {
  perdure::entry::read_bytes(transaction, to, from, size);
}

void perdure_write_bytes(void* to, const void* from, std::size_t size) {
  perdure::entry::write_bytes(transaction, to, from, size);
}

void* perdure_memcpy(void* to, const void* from, std::size_t size) { return perdure_memmove(to, from, size); }

void* perdure_memmove(void* to, const void* from, std::size_t size) {
  perdure::entry::copy(transaction, to, from, size);
  return to;
}

void* perdure_memset(void* to, int byte, std::size_t size) {
  perdure::entry::fill(transaction, to, byte, size);
  return to;
}

const void* perdure_choose_flavour(const void* full, const void* write_only) {
  return perdure::Algorithm::traits.reads_are_loads ? write_only : full;
}

void perdure_written_directly(void* block) { transaction.memory().written_directly(block); }

void perdure_save_local(void* local, std::size_t size) { transaction.save_local(local, size); }

}  // extern "C"
