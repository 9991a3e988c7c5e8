// Clones of the functions of std::filesystem::filesystem_error. Its objects share what its shared object has allocated,
// and that alone counts how many they are. Compiled with the plugin.
#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

#include "c/text_copy.h"
#include "exception_parts.h"
#include "perdure/attributes.h"

namespace perdure::provided {
namespace {

using Error = std::filesystem::filesystem_error;
using std::filesystem::path;

/// Only where it is.
PERDURE_PURE const std::string& text_in(const path& path) { return path.native(); }

/// Text in memory that may be shared.
struct Text {
  Text() = default;
  Text(const std::string& text) : data(text.data()), size(text.size()) {}
  Text(const path& path) : Text(text_in(path)) {}

  const char* data = "";
  std::size_t size = 0;
};

PERDURE_PURE void make_error(Parts<Error>& made, Text text, Text first, Text second, std::error_code code) {
  const c::TextCopy first_copy(first.data, first.size);
  const c::TextCopy second_copy(second.data, second.size);
  new (made.bytes) Error(c::TextCopy(text.data, text.size).text(), first_copy.text(), second_copy.text(), code);
}

PERDURE_PURE void make_error(Parts<Error>& made, Text text, Text first, std::error_code code) {
  const c::TextCopy first_copy(first.data, first.size);
  new (made.bytes) Error(c::TextCopy(text.data, text.size).text(), first_copy.text(), code);
}

PERDURE_PURE void make_error(Parts<Error>& made, Text text, std::error_code code) {
  new (made.bytes) Error(c::TextCopy(text.data, text.size).text(), code);
}

template <class... Arguments>
void construct(Error* object, Arguments... arguments) {
  Parts<Error> made;
  make_error(made, arguments...);
  put(object, made);
}

PERDURE_PURE const char* text_of(const Parts<Error>& parts) { return parts.object().Error::what(); }
PERDURE_PURE const path& first_of(const Parts<Error>& parts) { return parts.object().path1(); }
PERDURE_PURE const path& second_of(const Parts<Error>& parts) { return parts.object().path2(); }

}  // namespace

#define PERDURE_NAME "St10filesystem7__cxx1116filesystem_error"
#define PERDURE_STRING "ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
#define PERDURE_BOTH(kind, suffix, name, parameters, ...)                                                      \
  [[perdure::implements("_ZN" PERDURE_NAME kind "1" suffix)]] void complete_##name(Error* object parameters) { \
    __VA_ARGS__;                                                                                               \
  }                                                                                                            \
  [[perdure::implements("_ZN" PERDURE_NAME kind "2" suffix)]] void base_##name(Error* object parameters) {     \
    __VA_ARGS__;                                                                                               \
  }
#define PERDURE_COMMA ,
#define PERDURE_WHAT PERDURE_COMMA const std::string& text
#define PERDURE_CODE PERDURE_COMMA std::error_code code

PERDURE_BOTH("C", PERDURE_STRING "St10error_code", from_text, PERDURE_WHAT PERDURE_CODE,
             construct(object, Text(text), code))
PERDURE_BOTH("C", PERDURE_STRING "RKNS0_4pathESt10error_code", from_path,
             PERDURE_WHAT PERDURE_COMMA const path& first PERDURE_CODE,
             construct(object, Text(text), Text(first), code))
PERDURE_BOTH("C", PERDURE_STRING "RKNS0_4pathESC_St10error_code", from_paths,
             PERDURE_WHAT PERDURE_COMMA const path& first PERDURE_COMMA const path& second PERDURE_CODE,
             construct(object, Text(text), Text(first), Text(second), code))
PERDURE_BOTH("C", "ERKS1_", copy, PERDURE_COMMA const Error& from, copy(object, from))
PERDURE_BOTH("D", "Ev", destroy, , destroy(object))

[[perdure::implements("_ZN" PERDURE_NAME "D0Ev")]] void delete_by_base(Error* object) { delete_object(object); }
[[perdure::implements("_ZN" PERDURE_NAME "aSERKS1_")]] Error& assign_copy(Error* object, const Error& from) {
  return assign(object, from);
}
[[perdure::implements("_ZNK" PERDURE_NAME "4whatEv")]] const char* what(const Error* object) {
  return text_of(parts_of(*object));
}
[[perdure::implements("_ZNK" PERDURE_NAME "5path1Ev")]] const path& first(const Error* object) {
  return first_of(parts_of(*object));
}
[[perdure::implements("_ZNK" PERDURE_NAME "5path2Ev")]] const path& second(const Error* object) {
  return second_of(parts_of(*object));
}

}  // namespace perdure::provided
