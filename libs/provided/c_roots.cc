// The transaction that finds or makes a root for C. Compiled with the plugin.
#include "c/c_roots.h"

#include <cstring>
#include <new>

namespace perdure::c {

void* find_or_make_zeroed_root(roots::RootTable& table, std::string_view name, const roots::Fingerprint& type) {
  const auto make = [&type] {
    void* const object = ::operator new(type.size, std::align_val_t{type.alignment});
    return std::memset(object, 0, type.size);
  };
  return roots::detail::find_or_make(table, name, type, roots::detail::hash(type.type_name), make);
}

}  // namespace perdure::c
