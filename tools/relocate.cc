#include "relocate/relocation.h"

#include <cerrno>

#include "commands.h"
#include "open/open_pool.h"
#include "pool/refuse.h"

namespace perdure::tools {
namespace {

/// In this process the pool's own address is free, so a crash can be recovered before it is moved.
void recover_if_need_be(const std::filesystem::path& path) {
  try {
    opening::OpenPool(path, {.wait_for_mark = true, .move_if_address_taken = false}).close();
  } catch (const PoolError& error) {
    // Its move was cut short, or it is of another window: then it has been closed, or cannot be moved.
    if (error.kind() != PoolError::Kind::address_taken) throw;
  }
}

std::size_t slot_at(std::uint64_t address, const std::filesystem::path& path) {
  const auto* const pointer = reinterpret_cast<const void*>(address);
  if (!pool::in_window(pointer) || pool::slot_address(pool::single_slot_of(pointer)) != pointer)
    pool::refuse(PoolError::Kind::usage, path,
                 "no pool can live at address " + pool::spell_address(address) + ". Give " +
                     pool::spell_address(pool::window_base) + " plus a multiple of " +
                     pool::spell_address(pool::slot_bytes) + ", less than " + std::to_string(pool::slot_count) +
                     " times that.");
  return pool::single_slot_of(pointer);
}

}  // namespace

Document relocate(const std::filesystem::path& path, const Relocation& options) {
  if (!std::filesystem::exists(path)) pool::refuse_errno(ENOENT, path, "looking for the file");
  relocate::RelocationOptions wanted{.unsure = options.unsure};
  if (options.address) wanted.slot = slot_at(*options.address, path);
  recover_if_need_be(path);
  const relocate::RelocationReport moved = relocate::relocate(path, wanted);
  return {{"file", path.string()},
          {"address_before", pool::spell_address(moved.from)},
          {"address", pool::spell_address(moved.to)},
          {"completed_earlier_move", moved.completed},
          {"pointers_moved", moved.pointers_moved},
          {"pointers_cleared", moved.pointers_cleared},
          {"pointers_to_other_pools", moved.pointers_to_other_pools},
          {"milliseconds", moved.milliseconds}};
}

}  // namespace perdure::tools
