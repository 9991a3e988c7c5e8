#include "checked/program_image.h"

#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace perdure::checked {
namespace {

struct Range {
  std::uintptr_t begin = std::numeric_limits<std::uintptr_t>::max();
  std::uintptr_t end = 0;
};

/// Of the first object only: that is the program. One that can lie anywhere has been moved from where it was linked to.
int look_at_program(dl_phdr_info* object, std::size_t /*bytes*/, void* found) {
  Range& image = *static_cast<Range*>(found);
  for (std::size_t i = 0; object->dlpi_addr == 0 && i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    image.begin = std::min(image.begin, std::uintptr_t{part.p_vaddr});
    image.end = std::max(image.end, std::uintptr_t{part.p_vaddr + part.p_memsz});
  }
  return 1;
}

Range fixed_image() {
  Range image;
  dl_iterate_phdr(look_at_program, &image);
  return image;
}

}  // namespace

bool is_fixed_variable(const void* address) {
  static const Range image = fixed_image();
  const auto number = reinterpret_cast<std::uintptr_t>(address);
  return number >= image.begin && number < image.end;
}

}  // namespace perdure::checked
