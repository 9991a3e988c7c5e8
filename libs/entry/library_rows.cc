#include "entry/library_rows.h"

#include <cstddef>
#include <cstring>
#include <future>
#include <ios>
#include <system_error>
#include <vector>

#ifdef _LIBCPP_VERSION
#define PERDURE_IN_LIBSTDCXX(row)
#define PERDURE_IN_LIBCXX(row) row
#else
#define PERDURE_IN_LIBSTDCXX(row) row
#define PERDURE_IN_LIBCXX(row)
#endif
#define PERDURE_IN(row) row

// The tables of virtual functions of the standard exceptions, and the clones of what is in them. Not every version of a
// standard library has all: a weak one that is missing is null.
namespace perdure::entry::tables {

#define PERDURE_TABLE(library, name, type) \
  PERDURE_IN##library([[gnu::weak]] extern const void* const name[] asm("_ZTV" #type);)
#define PERDURE_EXCEPTION PERDURE_TABLE
#define PERDURE_PLAIN_EXCEPTION PERDURE_TABLE
#include "abi/exceptions.def"
#undef PERDURE_TABLE

}  // namespace perdure::entry::tables

extern "C" {
#define PERDURE_EXCEPTION(library, name, type) \
  PERDURE_IN##library(void perdure_tm__ZN##name##D1Ev(void*); void perdure_tm__ZN##name##D0Ev(void*);)
#define PERDURE_PLAIN_EXCEPTION PERDURE_EXCEPTION
#define PERDURE_EXCEPTION_TEXT(library, name, type) \
  PERDURE_IN##library(const char* perdure_tm__ZNK##name##4whatEv(const void*);)
#include "abi/exceptions.def"
}

extern "C" void perdure_tm_free(void*);
extern "C" void* perdure_tm_realloc(void*, std::size_t);

namespace {

namespace tables = perdure::entry::tables;

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

// provided/any_error_categories.cc
extern "C" void perdure_tm_perdure_message_of_category();

/// Where a class that derives from std::exception has its virtual functions (Itanium C++ ABI, section 2.5.2).
enum class Slot : std::size_t { destructor = 2, deleting_destructor = 3, text = 4 };

void* function_in(const void* const* table, Slot slot) {
  return table == nullptr ? nullptr : const_cast<void*>(table[static_cast<std::size_t>(slot)]);
}

class ExceptionRows {
 public:
  ExceptionRows() {
#define PERDURE_EXCEPTION(library, name, type)                                         \
  PERDURE_IN##library(add(tables::name, Slot::destructor, perdure_tm__ZN##name##D1Ev); \
                      add(tables::name, Slot::deleting_destructor, perdure_tm__ZN##name##D0Ev);)
#define PERDURE_EXCEPTION_TEXT(library, name, type) \
  PERDURE_IN##library(add(tables::name, Slot::text, perdure_tm__ZNK##name##4whatEv);)
#define PERDURE_PLAIN_EXCEPTION(library, name, type) \
  PERDURE_EXCEPTION(library, name, type)             \
  PERDURE_IN##library(add(tables::name, Slot::text, function_in(tables::name, Slot::text));)
#include "abi/exceptions.def"
  }
  std::span<const PerdureClone> all() const { return rows_; }

 private:
  template <class Clone>
  void add(const void* const* table, Slot slot, Clone* clone) {
    rows_.push_back({function_in(table, slot), reinterpret_cast<void*>(clone), nullptr});
  }

  std::vector<PerdureClone> rows_;
};

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

std::span<const PerdureClone> perdure::entry::rows_of_library() {
  // What pointers to functions of C lead to in files that are compiled with the plugin (plugin/discover/frees.h).
  static const PerdureClone rows[] = {
      {reinterpret_cast<void*>(perdure_free), reinterpret_cast<void*>(perdure_tm_free), nullptr},
      {reinterpret_cast<void*>(perdure_realloc), reinterpret_cast<void*>(perdure_tm_realloc), nullptr}};
  return rows;
}

std::span<const PerdureClone> perdure::entry::rows_of_exceptions() {
  static const auto& rows = *new ExceptionRows;
  return rows.all();
}

std::span<const PerdureClone> perdure::entry::rows_of_error_categories() {
  static PerdureClone rows[4 * functions_of_category];
  PerdureClone* next = rows;
  for (const std::error_category* const category :
       {&std::generic_category(), &std::system_category(), &std::iostream_category(), &std::future_category()}) {
    add_category(next, *category);
    next += functions_of_category;
  }
  return rows;
}
