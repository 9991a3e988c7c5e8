#include "pool/slots.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "pool/exception_memory.h"
#include "pool/fork.h"
#include "pool/refuse.h"
#include "sched/hold_during_fork.h"

namespace perdure::pool {
namespace {

using Kind = PoolError::Kind;

struct Occupant {
  bool present = false;
  std::filesystem::path path;  // stays when the pool is closed
  FileIdentity file;
  Uuid uuid{};
};

struct Occupants {
  std::mutex mutex;
  std::array<Occupant, slot_count> slots;
};

/// Never destroyed: a pool in a variable of static storage duration may be closed after main().
Occupants& occupants();
std::mutex& occupants_mutex() { return occupants().mutex; }

Occupants& occupants() {
  static auto* const all = [] {
    sched::hold_during_fork<occupants_mutex>();
    return new Occupants;
  }();
  return *all;
}

/// Maps inaccessible memory over the slots. \returns 0, or an errno (EEXIST: something is there).
int reserve(std::size_t number, std::size_t count) {
  std::byte* const wanted = slot_address(number);
  const std::size_t bytes = count * slot_bytes;
  exception_memory::vacate(wanted, bytes);
  void* const got =
      mmap(wanted, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) return errno;
  if (got == wanted) return 0;
  munmap(got, bytes);  // a kernel older than MAP_FIXED_NOREPLACE takes the address for a hint
  return EEXIST;
}

/// With the lock.
void occupy(std::size_t number, std::size_t count, const std::filesystem::path& path) {
  for (std::size_t i = 0; i < count; ++i) {
    occupants().slots[number + i] = {true, path, {}, {}};
    detail::slots_before[number + i].store(static_cast<std::uint8_t>(i), std::memory_order_relaxed);
  }
}

const Occupant* occupant_among(std::size_t number, std::size_t count) {
  for (std::size_t slot = number; slot < number + count; ++slot)
    if (occupants().slots[slot].present) return &occupants().slots[slot];
  return nullptr;
}

}  // namespace

Slot Slot::claim(std::size_t number, std::size_t count, const std::filesystem::path& path) {
  const std::lock_guard lock(occupants().mutex);
  const std::string where = "lives at address " + spell_address(reinterpret_cast<std::uintptr_t>(slot_address(number)));
  if (const Occupant* const occupant = occupant_among(number, count))
    refuse(Kind::address_taken, path,
           where + ", where this process has pool '" + occupant->path.string() +
               "' open. Close that one first, or use them in two processes.");
  const int error = reserve(number, count);
  if (error == EEXIST)
    refuse(Kind::address_taken, path,
           where + ", where this process has mapped something else. Open the pool before what maps memory there.");
  if (error != 0) refuse_errno(error, path, "reserving address space");
  occupy(number, count, path);
  return {number, count};
}

Slot Slot::claim_any(std::uint64_t wish, std::size_t count, const std::filesystem::path& path,
                     const SlotSet& unwanted) {
  const std::lock_guard lock(occupants().mutex);
  const auto is_unwanted = [&](std::size_t number) {
    for (std::size_t slot = number; slot < number + count; ++slot)
      if (unwanted[slot]) return true;
    return false;
  };
  for (std::size_t tried = 0; tried < slot_count; ++tried) {
    const std::size_t number = (wish + tried) % slot_count;
    if (number + count > slot_count || occupant_among(number, count) != nullptr || is_unwanted(number)) continue;
    const int error = reserve(number, count);
    if (error == EEXIST) continue;
    if (error != 0) refuse_errno(error, path, "reserving address space");
    occupy(number, count, path);
    return {number, count};
  }
  refuse(Kind::address_taken, path,
         (count == 1 ? "all " + std::to_string(slot_count) + " addresses for pools are in use"
                     : "no room of " + spell_bytes(count * slot_bytes) + " for pools is free") +
             ". Close another pool first.");
}

Slot::~Slot() {
  // In a forked child nothing is mapped there, and a thread that is gone may have held the lock.
  if (number_ == slot_count || is_forked_child()) return;
  auto& all = occupants();
  const std::lock_guard lock(all.mutex);
  munmap(address(), bytes());
  exception_memory::settle(address(), bytes());
  for (std::size_t slot = number_; slot < number_ + count_; ++slot) {
    all.slots[slot].present = false;
    detail::slots_before[slot].store(0, std::memory_order_relaxed);
  }
}

void Slot::name(const FileIdentity& file, const Uuid& uuid) {
  auto& all = occupants();
  const std::lock_guard lock(all.mutex);
  all.slots[number_].file = file;
  all.slots[number_].uuid = uuid;
}

std::filesystem::path last_path_in(std::size_t slot) {
  auto& all = occupants();
  const std::lock_guard lock(all.mutex);
  return all.slots[slot].path;
}

void stop_at_closed_pool(const void* address) {
  if (is_forked_child()) stop_at_pool_of_parent();
  const auto path = last_path_in(slot_of(address));
  std::fprintf(
      stderr,
      "perdure: a transaction uses memory of pool '%s', which is not open (address %p). Pointers into a pool are "
      "dead once it is closed: finish before, or open it again and start from its roots.\n",
      path.c_str(), address);
  std::abort();
}

std::optional<std::filesystem::path> find_open(const FileIdentity& file) {
  auto& all = occupants();
  const std::lock_guard lock(all.mutex);
  for (const Occupant& occupant : all.slots)
    if (occupant.present && occupant.file == file) return occupant.path;
  return std::nullopt;
}

bool is_open_twice(const Uuid& uuid) {
  auto& all = occupants();
  const std::lock_guard lock(all.mutex);
  return std::ranges::count_if(all.slots,
                               [&](const Occupant& occupant) { return occupant.present && occupant.uuid == uuid; }) > 1;
}

}  // namespace perdure::pool
