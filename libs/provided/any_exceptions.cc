// Clones of the constructors, assignments, destructors and texts of the standard exceptions that have a text, which
// live in the shared objects of the standard libraries. Compiled with the plugin.
#include <cstring>
#include <future>
#include <ios>
#include <new>
#include <regex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <typeinfo>

#include "c/text_copy.h"
#include "exception_parts.h"
#include "perdure/attributes.h"

namespace perdure::provided {

/// The text may be in shared memory.
template <class Exception, class... Arguments>
PERDURE_PURE void make_with_text(Parts<Exception>& made, const char* text, std::size_t size, Arguments... more) {
  new (&made) Exception(c::TextCopy(text, size).text(), more...);
}

template <class Exception, class... Arguments>
void construct(Exception* object, const char* text, std::size_t size, Arguments... more) {
  Parts<Exception> made;
  make_with_text(made, text, size, more...);
  put(object, made);
}

template <class Exception>
PERDURE_PURE const char* text_of(const Parts<Exception>& parts) {
  return parts.object().Exception::what();
}

/// What holds the text is private, and shared by copies.
template <class Exception>
const char* what(const Exception* object) {
  return text_of(parts_of(*object));
}

// The part of the symbol that names std::string, and the namespace of what is not part of the ABI library.
#ifdef _LIBCPP_VERSION
#define PERDURE_STRING "NSt3__112basic_stringIcNS0_11char_traitsIcEENS0_9allocatorIcEEEE"
#define PERDURE_SYSTEM_ERROR "NSt3__112system_error"
#define PERDURE_REGEX_ERROR "NSt3__111regex_error"
#define PERDURE_FUTURE_ERROR "NSt3__112future_error"
#define PERDURE_FAILURE "NSt3__18ios_base7failure"
#define PERDURE_ERROR_CODE "RKNS_10error_codeE"
#define PERDURE_STRING_HERE "NS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE"
#define PERDURE_REGEX_CODE "NS_15regex_constants10error_typeE"
#else
#define PERDURE_STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define PERDURE_SYSTEM_ERROR "NSt12system_error"
#define PERDURE_REGEX_ERROR "NSt11regex_error"
#define PERDURE_FUTURE_ERROR "NSt12future_error"
#define PERDURE_FAILURE "NSt8ios_base7failureB5cxx11"
#define PERDURE_ERROR_CODE "RKSt10error_code"
#define PERDURE_STRING_HERE PERDURE_STRING
#define PERDURE_REGEX_CODE "NSt15regex_constants10error_typeE"
#endif

#define PERDURE_TEXT(symbol, type) \
  [[perdure::implements("_ZNK" symbol "4whatEv")]] const char* text(const type* object) { return what(object); }

// Macros because symbols are literals. Of each constructor and destructor there are the complete and the base object's.
#define PERDURE_BOTH(prefix, kind, suffix, name, type, parameters, ...)                                          \
  [[perdure::implements(prefix kind "1" suffix)]] void complete_##name(type* object parameters) { __VA_ARGS__; } \
  [[perdure::implements(prefix kind "2" suffix)]] void base_##name(type* object parameters) { __VA_ARGS__; }
#define PERDURE_COMMA ,

#define PERDURE_FROM_TEXT(symbol, type)                                                                             \
  PERDURE_BOTH("_ZNSt" symbol, "C", "EPKc", from_characters, type, PERDURE_COMMA const char* text,                  \
               construct(object, text, std::strlen(text)))                                                          \
  PERDURE_BOTH("_ZNSt" symbol, "C", "ERK" PERDURE_STRING, from_string, type, PERDURE_COMMA const std::string& text, \
               construct(object, text.data(), text.size()))

#define PERDURE_COPIES(symbol, type)                                                                         \
  PERDURE_BOTH("_ZNSt" symbol, "C", "ERKS_", copy, type, PERDURE_COMMA const type& from, copy(object, from)) \
  [[perdure::implements("_ZNSt" symbol "aSERKS_")]] type& assign_copy(type* object, const type& from) {      \
    return assign(object, from);                                                                             \
  }

#define PERDURE_DESTRUCTOR(symbol, type)                                 \
  PERDURE_BOTH("_Z" symbol, "D", "Ev", destroy, type, , destroy(object)) \
  [[perdure::implements("_Z" symbol "D0Ev")]] void delete_by_base(type* object) { delete_object(object); }

PERDURE_FROM_TEXT("11logic_error", std::logic_error)
PERDURE_FROM_TEXT("13runtime_error", std::runtime_error)
PERDURE_COPIES("11logic_error", std::logic_error)
PERDURE_COPIES("13runtime_error", std::runtime_error)
PERDURE_TEXT("St11logic_error", std::logic_error)
PERDURE_TEXT("St13runtime_error", std::runtime_error)

PERDURE_DESTRUCTOR("NSt11logic_error", std::logic_error)
PERDURE_DESTRUCTOR("NSt12domain_error", std::domain_error)
PERDURE_DESTRUCTOR("NSt16invalid_argument", std::invalid_argument)
PERDURE_DESTRUCTOR("NSt12length_error", std::length_error)
PERDURE_DESTRUCTOR("NSt12out_of_range", std::out_of_range)
PERDURE_DESTRUCTOR("NSt13runtime_error", std::runtime_error)
PERDURE_DESTRUCTOR("NSt11range_error", std::range_error)
PERDURE_DESTRUCTOR("NSt14overflow_error", std::overflow_error)
PERDURE_DESTRUCTOR("NSt15underflow_error", std::underflow_error)
PERDURE_DESTRUCTOR(PERDURE_SYSTEM_ERROR, std::system_error)
PERDURE_DESTRUCTOR(PERDURE_REGEX_ERROR, std::regex_error)
PERDURE_DESTRUCTOR(PERDURE_FUTURE_ERROR, std::future_error)
PERDURE_DESTRUCTOR(PERDURE_FAILURE, std::ios_base::failure)
PERDURE_DESTRUCTOR("NSt16nested_exception", std::nested_exception)

#define PERDURE_DEFAULT(symbol, type) PERDURE_BOTH(symbol, "C", "Ev", make, type, , construct_with(object))
PERDURE_DEFAULT("_ZNSt9bad_alloc", std::bad_alloc)
PERDURE_DEFAULT("_ZNSt20bad_array_new_length", std::bad_array_new_length)
PERDURE_DEFAULT("_ZNSt8bad_cast", std::bad_cast)
PERDURE_DEFAULT("_ZNSt10bad_typeid", std::bad_typeid)

PERDURE_BOTH("_Z" PERDURE_REGEX_ERROR, "C", "E" PERDURE_REGEX_CODE, from_code, std::regex_error,
             PERDURE_COMMA std::regex_constants::error_type code, construct_with(object, code))

#define PERDURE_CODE PERDURE_COMMA const std::error_code& code
PERDURE_BOTH("_Z" PERDURE_FAILURE, "C", "EPKc" PERDURE_ERROR_CODE, from_characters, std::ios_base::failure,
             PERDURE_COMMA const char* text PERDURE_CODE, construct(object, text, std::strlen(text), code))
PERDURE_BOTH("_Z" PERDURE_FAILURE, "C", "ERK" PERDURE_STRING_HERE PERDURE_ERROR_CODE, from_string,
             std::ios_base::failure, PERDURE_COMMA const std::string& text PERDURE_CODE,
             construct(object, text.data(), text.size(), code))

#ifdef _LIBCPP_VERSION

PERDURE_BOTH("_Z" PERDURE_FUTURE_ERROR, "C", "ENS_10error_codeE", from_code, std::future_error,
             PERDURE_COMMA std::error_code code, construct_with(object, static_cast<std::future_errc>(code.value())))

#else

PERDURE_TEXT("St12future_error", std::future_error)
PERDURE_TEXT("St8ios_base7failureB5cxx11", std::ios_base::failure)
PERDURE_BOTH("_Z" PERDURE_FAILURE, "C", "ERK" PERDURE_STRING, from_text, std::ios_base::failure,
             PERDURE_COMMA const std::string& text, construct(object, text.data(), text.size()))

// libc++ makes these of the above in its headers.
PERDURE_FROM_TEXT("12domain_error", std::domain_error)
PERDURE_FROM_TEXT("16invalid_argument", std::invalid_argument)
PERDURE_FROM_TEXT("12length_error", std::length_error)
PERDURE_FROM_TEXT("12out_of_range", std::out_of_range)
PERDURE_FROM_TEXT("11range_error", std::range_error)
PERDURE_FROM_TEXT("14overflow_error", std::overflow_error)
PERDURE_FROM_TEXT("15underflow_error", std::underflow_error)

// It leaves a moved exception without a text; a copy has it.
#define PERDURE_MOVES(symbol, type)                                                                    \
  PERDURE_BOTH("_ZNSt" symbol, "C", "EOS_", move, type, PERDURE_COMMA type&& from, copy(object, from)) \
  [[perdure::implements("_ZNSt" symbol "aSEOS_")]] type& assign_move(type* object, type&& from) {      \
    return assign(object, from);                                                                       \
  }
PERDURE_MOVES("11logic_error", std::logic_error)
PERDURE_MOVES("13runtime_error", std::runtime_error)

#endif

}  // namespace perdure::provided
