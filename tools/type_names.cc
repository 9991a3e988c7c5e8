#include "type_names.h"

#include <cstdio>

namespace perdure::tools {
namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string_view spell_qualifier(int tag) {
  switch (tag) {
    case DW_TAG_const_type:
      return "const";
    case DW_TAG_volatile_type:
      return "volatile";
    case DW_TAG_restrict_type:
      return "restrict";
    default:
      return "_Atomic";
  }
}

std::string_view sigil_of(int tag) {
  return tag == DW_TAG_pointer_type ? "*" : tag == DW_TAG_reference_type ? "&" : "&&";
}

std::string with_declarator(std::string type, const std::string& declarator) {
  if (declarator.empty()) return type;
  return type + (declarator.front() == '[' ? "" : " ") + declarator;
}

std::string spell_unnamed(int tag) {
  switch (tag) {
    case DW_TAG_namespace:
      return "(anonymous namespace)";
    case DW_TAG_union_type:
      return "(unnamed union)";
    case DW_TAG_enumeration_type:
      return "(unnamed enum)";
    default:
      return "(unnamed struct)";
  }
}

/// Its template parameters as they are bound: those of a pack, and the pack itself.
std::vector<Die> template_parameters_of(Die type) {
  std::vector<Die> parameters;
  for (const Die& child : children_of(type)) {
    const int tag = tag_of(child);
    const bool is_parameter = tag == DW_TAG_template_type_parameter || tag == DW_TAG_template_value_parameter ||
                              tag == DW_TAG_GNU_template_template_param || tag == DW_TAG_GNU_template_parameter_pack;
    if (!is_parameter) continue;
    parameters.push_back(child);
    if (tag == DW_TAG_GNU_template_parameter_pack)
      for (const Die& bound : children_of(child)) parameters.push_back(bound);
  }
  return parameters;
}

std::string spell_character(std::int64_t value) {
  constexpr std::string_view escaped = "\n\t\r\a\b\f\v\\'";
  constexpr std::string_view letters = "ntrabfv\\'";
  const auto character = static_cast<char>(value);
  if (const std::size_t found = escaped.find(character); found != std::string_view::npos)
    return std::string("'\\") + letters[found] + "'";
  if (value >= ' ' && value <= '~') return std::string("'") + character + "'";
  char text[8];
  std::snprintf(text, sizeof text, "'\\x%02x'", static_cast<unsigned>(value & 0xff));
  return text;
}

/// A name with arguments as debug information spells it, "Box<Box<int, 2UL> >", without what has gone out of use: all
/// that there is to a template that is only declared.
std::string modernize(const std::string_view name) {
  std::string modern;
  for (const char character : name) {
    const bool closes_twice = character == '>' && modern.ends_with("> ");
    if (closes_twice) modern.pop_back();
    const bool ends_number = character == ',' || character == '>';
    const std::size_t number_end = modern.find_last_not_of("UL") + 1;
    if (ends_number && number_end > 0 && modern[number_end - 1] >= '0' && modern[number_end - 1] <= '9')
      modern.erase(number_end);
    modern += character;
  }
  return modern;
}

/// libc++ makes the compiler name these of its templates by their aliases.
std::string preferred_name(std::string_view name, const std::string& argument) {
  const bool has_alias = name == "basic_string" || name == "basic_string_view";
  if (!has_alias) return {};
  name.remove_prefix(std::string_view("basic_").size());
  if (argument == "char") return std::string(name);
  for (const std::string_view prefix : {"w", "u8", "u16", "u32"}) {
    const std::string character = prefix == "w" ? "wchar_t" : "char" + std::string(prefix.substr(1)) + "_t";
    if (argument == character) return std::string(prefix) + std::string(name);
  }
  return {};
}

}  // namespace

std::string TypeNames::spell(const Die& type, const std::string& declarator, unsigned nesting) const {
  require_nesting(nesting);
  const int tag = tag_of(type);
  if (is_pointer(tag) || tag == DW_TAG_ptr_to_member_type) return spell_pointer(type, declarator, nesting);
  if (is_qualifier(tag)) return spell_qualified(type, declarator, nesting);
  if (tag == DW_TAG_array_type) {
    std::string counts;
    for (const auto& count : counts_of(type)) counts += "[" + (count ? std::to_string(*count) : "") + "]";
    return spell_target(type, declarator + counts, nesting);
  }
  if (tag == DW_TAG_subroutine_type)
    return spell_target(type, declarator + "(" + spell_parameters(type, nesting) + ")", nesting);
  return with_declarator(spell_named(type, nesting), declarator);
}

std::string TypeNames::spell_target(const Die& type, const std::string& declarator, unsigned nesting) const {
  const std::optional<Die> target = type_of(type);
  return target ? spell(*target, declarator, nesting + 1) : with_declarator("void", declarator);
}

std::string TypeNames::spell_pointer(const Die& pointer, const std::string& declarator, unsigned nesting) const {
  const std::optional<Die> target = type_of(pointer);
  const int target_tag = target ? tag_of(*target) : DW_TAG_invalid;
  std::string inner(sigil_of(tag_of(pointer)));
  if (const std::optional<Die> holder = entry_of(pointer, DW_AT_containing_type))
    inner = spell(*holder, "", nesting + 1) + "::*";
  inner += declarator;
  const bool binds_weaker = target_tag == DW_TAG_array_type || target_tag == DW_TAG_subroutine_type;
  return spell_target(pointer, binds_weaker ? "(" + inner + ")" : inner, nesting);
}

std::string TypeNames::spell_qualified(const Die& type, const std::string& declarator, unsigned nesting) const {
  const std::string qualifier(spell_qualifier(tag_of(type)));
  const std::optional<Die> target = type_of(type);
  const bool stands_behind = target && is_pointer(tag_of(*target));
  if (stands_behind) return spell(*target, with_declarator(qualifier, declarator), nesting + 1);
  return qualifier + " " + spell_target(type, declarator, nesting);
}

std::string TypeNames::spell_parameters(const Die& function, unsigned nesting) const {
  std::vector<std::string> parameters;
  for (const Die& child : children_of(function))
    if (tag_of(child) == DW_TAG_formal_parameter)
      parameters.push_back(spell_target(child, "", nesting));
    else if (tag_of(child) == DW_TAG_unspecified_parameters)
      parameters.emplace_back("...");
  return join(parameters);
}

const std::string& TypeNames::spell_named(const Die& type, unsigned nesting) const {
  const auto found = spelled_.find(type.addr);
  if (found != spelled_.end()) return found->second;
  return spelled_.emplace(type.addr, spell_unseen(type, nesting)).first->second;
}

std::string TypeNames::spell_unseen(const Die& type, unsigned nesting) const {
  if (const std::optional<Die> in_unit = entry_of(type, DW_AT_signature)) return spell(*in_unit, "", nesting + 1);
  if (tag_of(type) == DW_TAG_unspecified_type) return "std::nullptr_t";  // "decltype(nullptr)"
  return spell_scope(type, nesting) +
         (name_of(type).empty() ? spell_unnamed(tag_of(type)) : spell_template(type, nesting));
}

/// What is local to a function is spelled without that.
std::string TypeNames::spell_scope(const Die& type, unsigned nesting) const {
  require_nesting(nesting);
  const auto found = scopes_.find(type.addr);
  if (found == scopes_.end()) return {};
  const Die& scope = found->second;
  if (has_flag(scope, DW_AT_export_symbols)) return spell_scope(scope, nesting + 1);  // inline
  return spell_named(scope, nesting + 1) + "::";
}

/// With its arguments, if it has any.
std::string TypeNames::spell_template(const Die& type, unsigned nesting) const {
  const std::string_view name = bare_name_of(type);
  const std::vector<Die> parameters = template_parameters_of(type);
  if (parameters.empty()) return modernize(name_of(type));
  std::vector<std::string> arguments;
  for (const Die& parameter : parameters) {
    if (tag_of(parameter) == DW_TAG_GNU_template_parameter_pack || has_flag(parameter, DW_AT_default_value)) continue;
    arguments.push_back(spell_argument(parameter, nesting));
    if (arguments.back().empty()) return modernize(name_of(type));
  }
  if (arguments.size() == 1 && is_of_libcxx(type))
    if (std::string preferred = preferred_name(name, arguments.front()); !preferred.empty()) return preferred;
  return std::string(name) + "<" + join(arguments) + ">";
}

bool TypeNames::is_of_libcxx(const Die& type) const {
  const auto scope = scopes_.find(type.addr);
  return scope != scopes_.end() && name_of(scope->second) == "__1";
}

/// Empty when it cannot be told from what the debug information says: the address of an object.
std::string TypeNames::spell_argument(const Die& argument, unsigned nesting) const {
  if (tag_of(argument) == DW_TAG_template_type_parameter) return spell_target(argument, "", nesting);
  if (tag_of(argument) == DW_TAG_GNU_template_template_param)
    return std::string(text_of(argument, DW_AT_GNU_template_name));
  const std::optional<std::int64_t> value = signed_number_of(argument, DW_AT_const_value);
  const std::optional<Die> type = type_of(argument);
  if (!value || !type) return {};
  if (tag_of(*type) == DW_TAG_enumeration_type) return spell_enumerator(*type, *value, nesting);
  if (name_of(*type) == "bool") return *value != 0 ? "true" : "false";
  if (name_of(*type) == "char") return spell_character(*value);
  const bool is_unsigned = number_of(*type, DW_AT_encoding) == DW_ATE_unsigned;
  return is_unsigned ? std::to_string(number_of(argument, DW_AT_const_value).value_or(0)) : std::to_string(*value);
}

std::string TypeNames::spell_enumerator(const Die& enumeration, std::int64_t value, unsigned nesting) const {
  const bool is_scoped = has_flag(enumeration, DW_AT_enum_class);
  const std::string scope =
      is_scoped ? spell(enumeration, "", nesting + 1) + "::" : spell_scope(enumeration, nesting + 1);
  for (const Die& enumerator : children_of(enumeration))
    if (signed_number_of(enumerator, DW_AT_const_value) == value) return scope + std::string(name_of(enumerator));
  return std::to_string(value);
}

}  // namespace perdure::tools
