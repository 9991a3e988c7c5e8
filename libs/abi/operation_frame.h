#ifndef PERDURE_ABI_OPERATION_FRAME_H
#define PERDURE_ABI_OPERATION_FRAME_H

#include <cstdint>
#include <span>

/// What belongs to a portable transaction besides its body: the locals of its caller that it works on. The plugin
/// writes a constant of this form for each call of perdure_run_operation (docs/abi.md), so both have exactly this form.
///
/// With it any thread can run the body on copies: copy each local, let each pointer of the copies lead to the copy of
/// what it led to, and call the body with the copy of the closure. The owner then takes back what was written, all
/// but the pointers, which are what they were. Whatever else the closure leads to is not copied; the body accesses it
/// by way of the entry points only.
namespace perdure::abi {

/// A local of the caller. The first one is the closure.
struct CapturedLocal {
  std::uint32_t bytes;
  std::uint32_t alignment;
  std::uint32_t is_written;  ///< 0: the body only reads it
};

/// What lies in `holder` at `holder_offset` (bytes) is the address of `target` plus `target_offset` bytes, whenever the
/// operation begins, and the body does not change it.
struct CapturedPointer {
  std::uint32_t holder;  ///< a local, by its number
  std::uint32_t holder_offset;
  std::uint32_t target;
  std::uint32_t target_offset;
};

/// Followed by its locals, and these by its pointers. They are sorted so that a holder is the closure or the target of
/// an earlier pointer: who reads them in their order can find every local.
struct OperationFrame {
  std::uint32_t local_count;    ///< at least 1
  std::uint32_t pointer_count;  ///< at least local_count - 1
  std::uint32_t may_throw;      ///< 0: no exception leaves the body
  std::uint32_t reserved;       ///< 0

  static constexpr std::uint32_t max_bytes = 64 * 1024;  ///< of all locals

  std::span<const CapturedLocal> locals() const noexcept {
    return {reinterpret_cast<const CapturedLocal*>(this + 1), local_count};
  }
  std::span<const CapturedPointer> pointers() const noexcept {
    return {reinterpret_cast<const CapturedPointer*>(locals().data() + local_count), pointer_count};
  }
};
static_assert(sizeof(OperationFrame) == 16 && sizeof(CapturedLocal) == 12 && sizeof(CapturedPointer) == 16);

}  // namespace perdure::abi

#endif
