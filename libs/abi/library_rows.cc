#include "abi/library_rows.h"

// Both standard libraries have these, but not all of them in every version: a weak one that is missing is null.
#define PERDURE_TEXTS(text)                                                                                       \
  text(exception, "_ZNKSt9exception4whatEv") text(bad_exception, "_ZNKSt13bad_exception4whatEv")                  \
      text(logic_error, "_ZNKSt11logic_error4whatEv") text(runtime_error, "_ZNKSt13runtime_error4whatEv")         \
          text(bad_alloc, "_ZNKSt9bad_alloc4whatEv") text(bad_cast, "_ZNKSt8bad_cast4whatEv")                     \
              text(bad_array_new_length, "_ZNKSt20bad_array_new_length4whatEv")                                   \
                  text(bad_typeid, "_ZNKSt10bad_typeid4whatEv") text(bad_weak_ptr, "_ZNKSt12bad_weak_ptr4whatEv") \
                      text(bad_weak_ptr_libcxx, "_ZNKSt3__112bad_weak_ptr4whatEv")                                \
                          text(bad_function_call, "_ZNKSt17bad_function_call4whatEv")                             \
                              text(bad_function_call_libcxx, "_ZNKSt3__117bad_function_call4whatEv")              \
                                  text(bad_optional_access, "_ZNKSt19bad_optional_access4whatEv")                 \
                                      text(bad_variant_access, "_ZNKSt18bad_variant_access4whatEv")

namespace perdure::abi::texts {

#define PERDURE_TEXT(name, symbol) [[gnu::weak]] void name() asm(symbol);
PERDURE_TEXTS(PERDURE_TEXT)
#undef PERDURE_TEXT

}  // namespace perdure::abi::texts

std::span<const PerdureClone> perdure::abi::rows_of_library() {
#define PERDURE_TEXT(name, symbol) \
  {reinterpret_cast<void*>(&texts::name), reinterpret_cast<void*>(&texts::name), nullptr},
  static const PerdureClone rows[] = {PERDURE_TEXTS(PERDURE_TEXT)};
#undef PERDURE_TEXT
  return rows;
}
