#include "simulate/hardware.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "htm/transaction.h"
#include "persist/domain.h"
#include "pool/window.h"
#include "simulate/scheduler.h"

namespace perdure::simulate {
namespace {

using htm::Status;

std::uintptr_t number_of(const void* word) { return reinterpret_cast<std::uintptr_t>(word); }

/// A transaction that stored to a pool would show others what no record vouches for.
void require_volatile(const void* word) {
  if (!pool::in_window(word)) return;
  std::fputs("crash simulator: a hardware transaction stores to a pool before the record is durable\n", stderr);
  std::abort();
}

}  // namespace

void HardwareModel::start(std::uint64_t seed, const Limits& limits) {
  limits_ = limits;
  random_.seed(seed);
  transactions_.clear();
  counts_ = {};
}

void HardwareModel::begin() {
  scheduler.point();
  transactions_[scheduler.this_task()] = {};
}

void HardwareModel::commit() {
  const Transaction& mine = step();
  for (const auto& [address, value] : mine.values)
    std::memcpy(reinterpret_cast<void*>(address), &value, sizeof(value));  // NOLINT(performance-no-int-to-ptr)
  ++counts_.commits;
  transactions_.erase(scheduler.this_task());
}

std::uint64_t HardwareModel::load(const void* word) {
  Transaction& mine = step();
  doom_others(scheduler.this_task(), number_of(word), sizeof(std::uint64_t), false);
  if (const auto own = mine.values.find(number_of(word)); own != mine.values.end()) return own->second;
  mine.read.insert(persistence::line_of(word));
  if (mine.read.size() > limits_.read_lines) abort(Status::capacity);
  std::uint64_t value = 0;
  std::memcpy(&value, word, sizeof(value));
  return value;
}

void HardwareModel::store(void* word, std::uint64_t value) {
  require_volatile(word);
  Transaction& mine = step();
  doom_others(scheduler.this_task(), number_of(word), sizeof(value), true);
  mine.written.insert(persistence::line_of(word));
  if (mine.written.size() > limits_.written_lines) abort(Status::capacity);
  mine.values[number_of(word)] = value;
}

bool HardwareModel::is_unharmed() const { return !transactions_.at(scheduler.this_task()).doom; }

void HardwareModel::abort(std::uint32_t status) {
  if ((status & Status::given_up) != 0)
    ++counts_.given_up;
  else if ((status & Status::conflict) != 0)
    ++counts_.conflicts;
  else if ((status & Status::capacity) != 0)
    ++counts_.capacity;
  else
    ++counts_.other;
  transactions_.erase(scheduler.this_task());
  throw HardwareAbort{status};
}

/// Others may run before each, and doom this one.
HardwareModel::Transaction& HardwareModel::step() {
  scheduler.point();
  Transaction& mine = transactions_.at(scheduler.this_task());
  if (mine.doom) abort(*mine.doom);
  // Only in what the scheduler runs, which is the same each time; what comes behind it need not be.
  if (scheduler.is_on() && limits_.accesses_an_interrupt != 0 && random_() % limits_.accesses_an_interrupt == 0)
    abort(Status::other);
  return mine;
}

void HardwareModel::doom_others(std::size_t task, std::uintptr_t address, std::size_t bytes, bool stores) {
  for (auto& [other, transaction] : transactions_) {
    if (other == task) continue;
    for (auto line = persistence::line_of(address); line < address + bytes; line += persistence::line_bytes)
      if (transaction.written.contains(line) || (stores && transaction.read.contains(line)))
        transaction.doom = Status::conflict | Status::may_succeed;
  }
}

void HardwareModel::doom_own() {
  if (const auto own = transactions_.find(scheduler.this_task()); own != transactions_.end())
    own->second.doom = Status::other;
}

void begin_in_hardware() { hardware.begin(); }
void commit_in_hardware() { hardware.commit(); }
void require_unharmed_in_hardware() { hardware.require_unharmed(); }
bool is_unharmed_in_hardware() { return hardware.is_unharmed(); }
std::uint64_t load_in_hardware(const void* word) { return hardware.load(word); }
void store_in_hardware(void* word, std::uint64_t value) { hardware.store(word, value); }
void give_up_in_hardware(std::uint8_t code) {
  hardware.abort(htm::Status::given_up | std::uint32_t{code} << htm::Status::code_shift);
}

}  // namespace perdure::simulate
