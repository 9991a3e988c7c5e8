// Clones of the functions of pointers to exceptions, and of errors of the system, that libc++ keeps in its shared
// object. Compiled with the plugin.
#include <cstring>
#include <exception>
#include <string>
#include <system_error>

#include "c/text_copy.h"
#include "error_message.h"
#include "exception_parts.h"
#include "perdure/attributes.h"

namespace perdure::provided {

#define PERDURE_BOTH(prefix, kind, suffix, name, type, parameters, ...)                                          \
  [[perdure::implements(prefix kind "1" suffix)]] void complete_##name(type* object parameters) { __VA_ARGS__; } \
  [[perdure::implements(prefix kind "2" suffix)]] void base_##name(type* object parameters) { __VA_ARGS__; }
#define PERDURE_COMMA ,

PERDURE_BOTH("_ZNSt13exception_ptr", "C", "ERKS_", copy, std::exception_ptr,
             PERDURE_COMMA const std::exception_ptr& from, copy(object, from))
PERDURE_BOTH("_ZNSt13exception_ptr", "D", "Ev", destroy, std::exception_ptr, , destroy(object))

[[perdure::implements("_ZNSt13exception_ptraSERKS_")]] std::exception_ptr& assign_copy(std::exception_ptr* object,
                                                                                       const std::exception_ptr& from) {
  return assign(object, from);
}

namespace {

template <class... Arguments>
PERDURE_PURE void make_system_error(Parts<std::system_error>& made, const char* text, std::size_t size,
                                    Arguments... where) {
  new (made.bytes) std::system_error(where..., c::TextCopy(text, size).text());
}

template <class... Arguments>
void construct_system_error(std::system_error* object, const char* text, std::size_t size, Arguments... where) {
  Parts<std::system_error> made;
  make_system_error(made, text, size, where...);
  put(object, made);
}

}  // namespace

#define PERDURE_SYSTEM_ERROR "_ZNSt3__112system_error"
#define PERDURE_STRING "RKNS_12basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEEE"
#define PERDURE_CODE PERDURE_COMMA std::error_code code

PERDURE_BOTH(PERDURE_SYSTEM_ERROR, "C", "ENS_10error_codeE", code, std::system_error, PERDURE_CODE,
             construct_with(object, code))
PERDURE_BOTH(PERDURE_SYSTEM_ERROR, "C", "ENS_10error_codeEPKc", code_and_characters, std::system_error,
             PERDURE_CODE PERDURE_COMMA const char* text, construct_system_error(object, text, std::strlen(text), code))
PERDURE_BOTH(PERDURE_SYSTEM_ERROR, "C", "ENS_10error_codeE" PERDURE_STRING, code_and_string, std::system_error,
             PERDURE_CODE PERDURE_COMMA const std::string& text,
             construct_system_error(object, text.data(), text.size(), code))
PERDURE_BOTH(PERDURE_SYSTEM_ERROR, "C", "EiRKNS_14error_categoryE", value, std::system_error,
             PERDURE_COMMA int value PERDURE_COMMA const std::error_category& category,
             construct_with(object, std::error_code(value, category)))
PERDURE_BOTH(PERDURE_SYSTEM_ERROR, "C", "EiRKNS_14error_categoryEPKc", value_and_characters, std::system_error,
             PERDURE_COMMA int value PERDURE_COMMA const std::error_category& category PERDURE_COMMA const char* text,
             construct_system_error(object, text, std::strlen(text), std::error_code(value, category)))
PERDURE_BOTH(PERDURE_SYSTEM_ERROR, "C", "EiRKNS_14error_categoryE" PERDURE_STRING, value_and_string, std::system_error,
             PERDURE_COMMA int value PERDURE_COMMA const std::error_category& category
                 PERDURE_COMMA const std::string& text,
             construct_system_error(object, text.data(), text.size(), std::error_code(value, category)))

[[perdure::implements("_ZNKSt3__110error_code7messageEv")]] std::string message(const std::error_code* code) {
  return message_of(code->category(), code->value());
}

[[perdure::implements("_ZNKSt3__115error_condition7messageEv")]] std::string message(
    const std::error_condition* condition) {
  return message_of(condition->category(), condition->value());
}

}  // namespace perdure::provided
