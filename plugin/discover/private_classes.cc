#include "discover/private_classes.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/Support/Regex.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace perdure::plugin {

using namespace llvm;

namespace {

/// What a symbol says of a function, without inline namespaces.
struct Name {
  std::string scope;       // "std::basic_ostream<char, std::char_traits<char>>"
  std::string base;        // "write"
  std::string parameters;  // "char const*, long"
  std::string whole;
};

std::string without(std::string text, StringRef part) {
  for (std::size_t at = 0; (at = text.find(part.str(), at)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

std::string normalised(char* demangled) {
  const std::unique_ptr<char, decltype(&std::free)> owner(demangled, std::free);
  std::string text = demangled == nullptr ? "" : demangled;
  for (const StringRef part : {"__cxx11::", "__1::", "__fs::"}) text = without(std::move(text), part);
  static const Regex version("(absl|fmt)::(debian[0-9]+|lts_[0-9]+|v[0-9]+)::");
  for (std::string shorter; (shorter = version.sub("\\1::", text)) != text;) text = shorter;
  return text;
}

/// \returns nothing for symbols that are not of a function of C++.
std::optional<Name> parse(StringRef symbol) {
  ItaniumPartialDemangler demangler;
  const std::string text = symbol.str();  // the demangler refers to it
  if (demangler.partialDemangle(text.c_str()) || !demangler.isFunction()) return std::nullopt;
  std::size_t size = 0;
  Name name;
  name.scope = normalised(demangler.getFunctionDeclContextName(nullptr, &size));
  if (name.scope == "std::__1") name.scope = "std";
  name.base = normalised(demangler.getFunctionBaseName(nullptr, &size));
  name.parameters = normalised(demangler.getFunctionParameters(nullptr, &size));
  name.whole = normalised(demangler.finishDemangle(nullptr, &size));
  if (StringRef(name.parameters).starts_with("("))
    name.parameters = name.parameters.substr(1, name.parameters.size() - 2);
  return name;
}

/// At the commas that are not inside of brackets.
SmallVector<StringRef> split(StringRef parameters) {
  SmallVector<StringRef> result;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= parameters.size(); ++i) {
    if (i == parameters.size() || (parameters[i] == ',' && depth == 0)) {
      const StringRef parameter = parameters.slice(begin, i).trim();
      if (!parameter.empty() && parameter != "void") result.push_back(parameter);
      begin = i + 1;
    } else if (StringRef("<([").contains(parameters[i])) {
      ++depth;
    } else if (StringRef(">)]").contains(parameters[i])) {
      --depth;
    }
  }
  return result;
}

/// Whether all types that are named in there are the library's or built in: code of others must not run unseen.
bool names_no_types_of_others(StringRef text) {
  static const StringSet<> words = {"bool",   "char",     "wchar_t", "short",       "int",  "long",     "unsigned",
                                    "signed", "float",    "double",  "const",       "void", "volatile", "true",
                                    "false",  "__int128", "std",     "__mbstate_t", "tm"};
  for (std::size_t i = 0; i < text.size();) {
    if (isAlpha(text[i]) || text[i] == '_') {
      const StringRef word = text.substr(i).take_while([](char c) { return isAlnum(c) || c == '_' || c == ':'; });
      if (!words.contains(word) && !word.starts_with("std::") && !word.starts_with("absl::")) return false;
      i += word.size();
    } else {
      ++i;
      // Numbers and what belongs to them.
      while (i < text.size() && isDigit(text[i - 1]) && isAlnum(text[i])) ++i;
    }
  }
  return true;
}

constexpr StringLiteral resource_class = "std::pmr::memory_resource";

enum class Group { none, object, facet };

bool is_of_class(StringRef scope, StringRef name) {
  return scope.consume_front(name) && (scope.empty() || scope.starts_with("<") || scope.starts_with("::"));
}

Group group_of_scope(StringRef scope) {
#define PERDURE_FACET(name) \
  if (is_of_class(scope, name)) return Group::facet;
#define PERDURE_PRIVATE_CLASS(name) \
  if (is_of_class(scope, name)) return Group::object;
#define PERDURE_PRIVATE_FUNCTION(name)
#define PERDURE_BODILESS_FUNCTION(name)
#define PERDURE_NOT_PRIVATE(name)
#include "discover/private_calls.def"
  return Group::none;
}

bool is_named_function(const Name& name, bool has_body) {
  const std::string full = name.scope + "::" + name.base;
#define PERDURE_PRIVATE_CLASS(name)
#define PERDURE_PRIVATE_FUNCTION(name) \
  if (full == name) return true;
#define PERDURE_BODILESS_FUNCTION(name) \
  if (!has_body && full == name) return true;
#define PERDURE_NOT_PRIVATE(name)
#include "discover/private_calls.def"
  return false;
}

bool is_harmless(const Name& name) {
  const std::string full = name.scope + "::" + name.base;
#define PERDURE_HARMLESS_FUNCTION(harmless) \
  if (full == harmless) return true;
#define PERDURE_PRIVATE_CLASS(name)
#define PERDURE_PRIVATE_FUNCTION(name)
#define PERDURE_BODILESS_FUNCTION(name)
#define PERDURE_NOT_PRIVATE(name)
#include "discover/private_calls.def"
  return false;
}

bool is_excepted(const Name& name) {
#define PERDURE_PRIVATE_CLASS(name)
#define PERDURE_PRIVATE_FUNCTION(name)
#define PERDURE_BODILESS_FUNCTION(name)
#define PERDURE_NOT_PRIVATE(exception) \
  if (name.whole == exception || name.scope == exception) return true;
#include "discover/private_calls.def"
  return false;
}

/// Functions that are given a function are cloned, and call its clone.
bool takes_functions(const Name& name) { return name.parameters.find("(*)") != std::string::npos; }

bool judge(StringRef symbol, bool has_body) {
  const auto name = parse(symbol);
  if (!name || is_excepted(*name) || takes_functions(*name)) return false;
  const bool is_listed = group_of_scope(name->scope) != Group::none || is_named_function(*name, has_body);
  return is_listed && names_no_types_of_others(name->scope) && names_no_types_of_others(name->parameters);
}

bool is_number(StringRef type) {
  static const StringSet<> numbers = {
      "bool",  "char",         "signed char", "unsigned char", "short",     "unsigned short",
      "int",   "unsigned int", "long",        "unsigned long", "long long", "unsigned long long",
      "float", "double",       "long double", "wchar_t",       "void*",     "std::_Ios_Iostate"};
  return numbers.contains(type);
}

unsigned bytes_of_number(StringRef type) {
  if (type == "long double") return 16;
  if (type == "bool" || type.ends_with("char")) return 1;
  if (type.ends_with("short")) return 2;
  if (type.ends_with("int") || type == "float" || type == "wchar_t" || type == "std::_Ios_Iostate") return 4;
  return 8;
}

unsigned bytes_of_characters(StringRef type) { return type.contains("wchar_t") ? sizeof(wchar_t) : 1; }

bool is_count(StringRef type) { return type == "long" || type == "unsigned long"; }
bool is_string_view(StringRef type) { return type.starts_with("std::basic_string_view<") && type.ends_with(">"); }

PrivateArgument of_pointer_to_constants(StringRef type, StringRef next) {
  const unsigned bytes = bytes_of_characters(type);
  if (is_count(next)) return {Passing::counted, bytes};
  if (next == type) return {Passing::range, bytes};
  const bool is_text = type == "char const*" || type == "wchar_t const*";
  return {is_text ? Passing::c_string : Passing::constant, bytes};
}

PrivateArgument of_parameter(StringRef type, StringRef next, bool is_end_of_range) {
  if (is_end_of_range) return {};
  const unsigned bytes = bytes_of_characters(type);
  const bool is_constant = type.ends_with(" const&") || type.ends_with(" const*") || type.ends_with("&&");
  if (!type.ends_with("&") && !type.ends_with("*") && !type.ends_with("]")) return {};
  if (type.ends_with("]")) return {Passing::c_string, bytes};  // char const (&) [10]
  if (type.starts_with("std::basic_string<") && type.ends_with("&"))
    return {is_constant ? Passing::text : Passing::text_back, bytes};
  if (is_string_view(type.take_front(type.rfind('>') + 1)) && is_constant) return {Passing::view, bytes};
  if (type == "std::locale const&") return {Passing::locale};
  if (type.starts_with(resource_class)) return {Passing::of_library};
  if (type.contains("std::basic_streambuf<") && type.ends_with("*")) return {Passing::unless_null};
  if (type == "char const*" || type == "wchar_t const*" || type == "unsigned char const*")
    return of_pointer_to_constants(type, next);
  if (type.ends_with("&") && is_number(type.drop_back().rtrim()))
    return {Passing::value_back, bytes_of_number(type.drop_back().rtrim())};
  return {is_constant ? Passing::constant : Passing::object};
}

bool is_stream_iterator(StringRef type) {
  return (type.starts_with("std::istreambuf_iterator<") || type.starts_with("std::ostreambuf_iterator<")) &&
         type.ends_with(">");
}

/// What parameters become in LLVM: views come in two parts, and libstdc++'s iterators over streams.
PrivateSignature of_parameters(StringRef parameters, bool is_of_libcxx) {
  PrivateSignature result;
  const auto types = split(parameters);
  bool is_end_of_range = false;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const StringRef next = i + 1 < types.size() ? types[i + 1] : StringRef();
    if (is_string_view(types[i])) {
      result.push_back({});
      result.push_back({Passing::count_before, bytes_of_characters(types[i])});
      is_end_of_range = false;
      continue;
    }
    if (is_stream_iterator(types[i])) {
      result.push_back({Passing::unless_null});
      if (!is_of_libcxx) result.push_back({});
      continue;
    }
    result.push_back(of_parameter(types[i], next, is_end_of_range));
    is_end_of_range = result.back().passing == Passing::range;
  }
  return result;
}

bool is_constructor_or_destructor(const Name& name) {
  const std::string end = "::" + name.base;
  const StringRef scope = name.scope;
  return StringRef(name.base).starts_with("~") || scope.ends_with(end) || scope.split('<').first.ends_with(end);
}

/// That of the object, which comes first.
PrivateArgument of_object(const Name& name) {
  if (StringRef(name.scope).starts_with("absl::")) return {};
  if (is_constructor_or_destructor(name)) return {Passing::object};
  if (StringRef(name.scope).starts_with(resource_class)) return {Passing::resource};
  if (group_of_scope(name.scope) == Group::facet) return {Passing::of_library};
  if (StringRef(name.scope).starts_with("std::locale")) return {Passing::locale};
  const StringRef whole = name.whole;
  return {whole.ends_with(" const") ? Passing::constant : Passing::object};
}

/// Nothing is known but that pointers are pointers.
PrivateSignature of_unknown(const Function& function) {
  PrivateSignature result;
  for (const Argument& argument : function.args())
    result.push_back({argument.getType()->isPointerTy() ? Passing::object : Passing::as_it_is});
  return result;
}

}  // namespace

bool is_called_privately(const Function& function) {
  const StringRef symbol = function.getName();
  // Whatever the list has contains one of these.
  if (!symbol.starts_with("_Z") || !(symbol.contains("S") || symbol.contains("4absl"))) return false;
  static thread_local StringMap<bool> known[2];
  const bool has_body = !function.isDeclaration();
  const auto [entry, is_new] = known[has_body].try_emplace(symbol, false);
  if (is_new) entry->second = judge(symbol, has_body);
  return entry->second;
}

bool is_harmless_function(StringRef symbol) {
  if (!symbol.starts_with("_ZN3fmt") && !symbol.starts_with("_ZN4absl")) return false;
  const auto name = parse(symbol);
  return name && is_harmless(*name);
}

PrivateSignature private_signature(const Function& function) {
  const auto name = parse(function.getName());
  PrivateSignature signature;
  const bool has_result = function.hasStructRetAttr();
  if (has_result) signature.push_back({character_bytes_of_result(function) ? Passing::as_it_is : Passing::object});
  const PrivateSignature parameters = of_parameters(name->parameters, function.getName().contains("St3__1"));
  const std::size_t others = function.arg_size() - signature.size();
  const bool is_member = group_of_scope(name->scope) != Group::none;
  if (is_member && others == parameters.size() + 1) {
    signature.push_back(of_object(*name));
  } else if (is_member && others == parameters.size() + 2) {  // and where virtual bases are
    signature.push_back(of_object(*name));
    signature.push_back({});
  } else if (others != parameters.size()) {
    return of_unknown(function);
  }
  // The block that a resource takes back belongs to the caller.
  if (StringRef(name->scope).starts_with(resource_class))
    signature.resize(function.arg_size());
  else
    signature.append(parameters);
  return signature;
}

unsigned character_bytes_of_result(const Function& function) {
  const Type* const type = function.hasStructRetAttr() ? function.getParamStructRetType(0) : nullptr;
  if (!isa_and_nonnull<StructType>(type) || !cast<StructType>(type)->hasName()) return 0;
  StringRef name = cast<StructType>(type)->getName();
  name = name.drop_front(name.rfind("::") == StringRef::npos ? 0 : name.rfind("::") + 2);
  if (!name.consume_front("basic_string") || !(name.empty() || name.starts_with("."))) return 0;
  const auto parsed = parse(function.getName());
  return parsed ? bytes_of_characters(parsed->scope) : 1;
}

}  // namespace perdure::plugin
