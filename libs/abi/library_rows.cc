#include "abi/library_rows.h"

#include <cstddef>
#include <cstring>
#include <system_error>

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
                                      text(bad_variant_access, "_ZNKSt18bad_variant_access4whatEv")               \
                                          text(bad_any_cast, "_ZNKSt12bad_any_cast4whatEv")                       \
                                              text(failure, "_ZNKSt8ios_base7failureB5cxx114whatEv")              \
                                                  text(filesystem_error,                                          \
                                                       "_ZNKSt10filesystem7__cxx1116filesystem_error4whatEv")

namespace perdure::abi::texts {

#define PERDURE_TEXT(name, symbol) [[gnu::weak]] void name() asm(symbol);
PERDURE_TEXTS(PERDURE_TEXT)
#undef PERDURE_TEXT

}  // namespace perdure::abi::texts

extern "C" void perdure_tm_free(void*);
extern "C" void* perdure_tm_realloc(void*, std::size_t);

namespace {

/// The function in an object's virtual table, whose place the pointer to the member function says (Itanium C++ ABI,
/// sections 2.3 and 2.5.2).
template <class Object, class Member>
void* virtual_function(const Object& object, Member member) {
  std::ptrdiff_t place[2];
  static_assert(sizeof place == sizeof member);
  std::memcpy(place, &member, sizeof place);
  const char* table = nullptr;
  std::memcpy(&table, static_cast<const void*>(&object), sizeof table);
  void* function = nullptr;
  std::memcpy(&function, table + place[0] - 1, sizeof function);
  return function;
}

// abi/provided/any_error_categories.cc
extern "C" void perdure_tm_perdure_message_of_category();

constexpr std::size_t functions_of_category = 5;

/// The functions of an error category have no symbols. All but one return values.
void add_category(PerdureClone* rows, const std::error_category& category) {
  using Category = std::error_category;
  void* const message = virtual_function(category, &Category::message);
  *rows++ = {message, reinterpret_cast<void*>(&perdure_tm_perdure_message_of_category), nullptr};
  using Equals = bool (Category::*)(int, const std::error_condition&) const noexcept;
  using EqualsCode = bool (Category::*)(const std::error_code&, int) const noexcept;
  for (void* const function :
       {virtual_function(category, &Category::name), virtual_function(category, &Category::default_error_condition),
        virtual_function(category, static_cast<Equals>(&Category::equivalent)),
        virtual_function(category, static_cast<EqualsCode>(&Category::equivalent))})
    *rows++ = {function, function, nullptr};
}

}  // namespace

std::span<const PerdureClone> perdure::abi::rows_of_library() {
#define PERDURE_TEXT(name, symbol) \
  {reinterpret_cast<void*>(&texts::name), reinterpret_cast<void*>(&texts::name), nullptr},
  // What pointers to functions of C lead to in files that are compiled with the plugin (plugin/frees.h).
  static const PerdureClone rows[] = {
      PERDURE_TEXTS(PERDURE_TEXT){reinterpret_cast<void*>(perdure_free), reinterpret_cast<void*>(perdure_tm_free),
                                  nullptr},
      {reinterpret_cast<void*>(perdure_realloc), reinterpret_cast<void*>(perdure_tm_realloc), nullptr}};
#undef PERDURE_TEXT
  return rows;
}

std::span<const PerdureClone> perdure::abi::rows_of_error_categories() {
  static PerdureClone rows[2 * functions_of_category];
  add_category(rows, std::generic_category());
  add_category(rows + functions_of_category, std::system_category());
  return rows;
}
