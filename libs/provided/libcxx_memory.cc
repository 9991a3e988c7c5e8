// Clones of functions of <memory> that libc++ keeps in its shared object. Compiled with the plugin.
#include <cstddef>
#include <cstdint>

namespace perdure::provided {

[[perdure::implements("_ZNSt3__15alignEmmRPvRm")]]
void* align(std::size_t alignment, std::size_t size, void*& begin, std::size_t& space) {
  const std::size_t skipped = -reinterpret_cast<std::uintptr_t>(begin) & (alignment - 1);
  if (size > space || skipped > space - size) return nullptr;
  begin = static_cast<std::byte*>(begin) + skipped;
  space -= skipped;
  return begin;
}

}  // namespace perdure::provided
