// Clones of the constructors of the standard exceptions, which live in the shared objects of the standard libraries.
// The text may be in shared memory, so it is read by the transaction; the exception itself is private to the thread.
// Compiled with the plugin.
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

#include "abi/text_copy.h"
#include "perdure/attributes.h"

namespace perdure::provided {

template <class Exception>
PERDURE_PURE void construct(Exception* object, const char* text, std::size_t size) {
  new (object) Exception(abi::TextCopy(text, size).text());
}

// The part of the symbol that names std::string.
#ifdef _LIBCPP_VERSION
#define PERDURE_STRING "NSt3__112basic_stringIcNS0_11char_traitsIcEENS0_9allocatorIcEEEE"
#else
#define PERDURE_STRING "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#endif

// A macro because symbols are literals: the complete and the base object constructor, from both kinds of text.
#define PERDURE_EXCEPTION(symbol, type)                                                                             \
  [[perdure::implements("_ZNSt" symbol "C1EPKc")]] void complete(type* object, const char* text) {                  \
    construct(object, text, std::strlen(text));                                                                     \
  }                                                                                                                 \
  [[perdure::implements("_ZNSt" symbol "C2EPKc")]] void base(type* object, const char* text) {                      \
    construct(object, text, std::strlen(text));                                                                     \
  }                                                                                                                 \
  [[perdure::implements("_ZNSt" symbol "C1ERK" PERDURE_STRING)]] void complete(type* object,                        \
                                                                               const std::string& text) {           \
    construct(object, text.data(), text.size());                                                                    \
  }                                                                                                                 \
  [[perdure::implements("_ZNSt" symbol "C2ERK" PERDURE_STRING)]] void base(type* object, const std::string& text) { \
    construct(object, text.data(), text.size());                                                                    \
  }

PERDURE_EXCEPTION("11logic_error", std::logic_error)
PERDURE_EXCEPTION("13runtime_error", std::runtime_error)

// libc++ makes these of the above in its headers.
#ifndef _LIBCPP_VERSION
PERDURE_EXCEPTION("12domain_error", std::domain_error)
PERDURE_EXCEPTION("16invalid_argument", std::invalid_argument)
PERDURE_EXCEPTION("12length_error", std::length_error)
PERDURE_EXCEPTION("12out_of_range", std::out_of_range)
PERDURE_EXCEPTION("11range_error", std::range_error)
PERDURE_EXCEPTION("14overflow_error", std::overflow_error)
PERDURE_EXCEPTION("15underflow_error", std::underflow_error)
#endif

}  // namespace perdure::provided
