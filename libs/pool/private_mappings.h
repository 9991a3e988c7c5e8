#ifndef PERDURE_POOL_PRIVATE_MAPPINGS_H
#define PERDURE_POOL_PRIVATE_MAPPINGS_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace perdure::pool {

/// Which memory a forked child may write to without its parent noticing: what is mapped, writable, and not shared. The
/// rest of what the parent's transactions wrote is not the child's to put right: pools, memory that children do not
/// inherit, and memory that both processes see.
class PrivateMappings {
 public:
  /// As of the first call.
  bool hold(std::uintptr_t address, std::size_t bytes);

 private:
  struct Range {
    std::uintptr_t begin;
    std::uintptr_t end;
  };
  void read();

  bool is_read_ = false;
  std::vector<Range> ranges_;  // by address
};

}  // namespace perdure::pool

#endif
