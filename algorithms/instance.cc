// One library: an algorithm, a mode and a persistence domain, named by the build (algorithms/libraries.cmake):
//   PERDURE_ALGORITHM_HEADER  "algorithms/orec_lazy.h"
//   PERDURE_ALGORITHM         OrecLazy
//   PERDURE_MODE              ip
//   PERDURE_SWITCHES          switches.deferred_flushing=false   (what differs from the mode; usually nothing)
//   PERDURE_LIBRARY_NAME      "orec_lazy_ip"
// and the entry points of libs/abi/entry_points.h over it, each one line.
#include PERDURE_ALGORITHM_HEADER

#include "persist/instance.h"
#include "abi/access.h"
#include "abi/allocation.h"
#include "abi/entry_points.h"
#include "algorithms/mode.h"
#include "persist/current.h"
#include "tx/transaction.h"

namespace perdure {
namespace {

constexpr mode::Switches switches = [] {
  mode::Switches switches = mode::PERDURE_MODE;
  PERDURE_SWITCHES;
  return switches;
}();

using Algorithm = algorithms::PERDURE_ALGORITHM<mode::Mode<switches>, persist::Current>;
static_assert(tx::Algorithm<Algorithm>);

/// The calling thread's transaction. `constinit` and trivially destructible: an access reaches it without a guard.
thread_local constinit tx::Transaction<Algorithm> transaction;

}  // namespace

const Instance instance = {PERDURE_LIBRARY_NAME, Algorithm::Mode::durable, Algorithm::Mode::shades,
                           Algorithm::Mode::PoolEntry::chunk_bytes};

namespace abi {

/// In every program, also where a sanitizer has operators of its own, which give way to these.
[[gnu::used]] static void (*const with_operators)() = link_operators;

void* transactional_allocate(std::size_t bytes, std::size_t alignment) {
  return transaction.memory().allocate(bytes, alignment);
}
void transactional_free(void* block) { transaction.memory().free(block); }
void for_each_allocated(BlockFunction function, void* context) {
  transaction.memory().captured().for_each(
      [&](void* block) { function(block, tx::usable_block_size(block), context); });
}
void for_each_freed(BlockFunction function, void* context) {
  transaction.memory().for_each_freed([&](void* block) { function(block, tx::usable_block_size(block), context); });
}
tx::ExceptionState& transactional_exceptions() { return transaction.exceptions(); }
bool is_in_transaction() { return transaction.is_running(); }

}  // namespace abi
}  // namespace perdure

using perdure::transaction;

extern "C" {

void perdure_run(void (*body)(void*), void* closure) {
  [[maybe_unused]] const perdure::persist::Current::Transaction running;
  transaction.run(body, closure);
}

#define PERDURE_TYPE(suffix, type)                                                                     \
  type perdure_read_##suffix(type const* address) { return perdure::abi::read(transaction, address); } \
  void perdure_write_##suffix(type* address, type value) { perdure::abi::write(transaction, address, value); }
#include "abi/types.def"

void perdure_read_bytes(void* to, const void* from, std::size_t size) {
  perdure::abi::read_bytes(transaction, to, from, size);
}

void perdure_write_bytes(void* to, const void* from, std::size_t size) {
  perdure::abi::write_bytes(transaction, to, from, size);
}

void* perdure_memcpy(void* to, const void* from, std::size_t size) { return perdure_memmove(to, from, size); }

void* perdure_memmove(void* to, const void* from, std::size_t size) {
  perdure::abi::copy(transaction, to, from, size);
  return to;
}

void* perdure_memset(void* to, int byte, std::size_t size) {
  perdure::abi::fill(transaction, to, byte, size);
  return to;
}

const void* perdure_choose_flavour(const void* full, const void* write_only) {
  return perdure::Algorithm::traits.reads_are_loads ? write_only : full;
}

void perdure_written_directly(void* block) { transaction.memory().written_directly(block); }

void perdure_save_local(void* local, std::size_t size) { transaction.save_local(local, size); }

}  // extern "C"
