#include <cstdio>

#include "commands.h"

namespace perdure::tools {
namespace {

constexpr std::size_t indentation = 2;

/// As in C, and nothing that would command a terminal.
std::string quote(const std::string& text) {
  std::string quoted = "\"";
  for (const char character : text) {
    char escaped[8];
    const auto byte = static_cast<unsigned char>(character);
    std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
    if (character == '"' || character == '\\')
      quoted += std::string("\\") + character;
    else if (byte < ' ' || byte == 0x7f)
      quoted += escaped;
    else
      quoted += character;
  }
  return quoted + "\"";
}

std::string spell_offset(const Document& offset) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(offset.get<std::uint64_t>()));
  return text;
}

std::string spell_left_out(const Document& value) {
  return value.contains("left_out") ? "... " + value["left_out"].dump() + " more" : "";
}

std::string spell_pointer(const Document& value) {
  if (value.contains("code")) return quote(value["code"]) + " (code)";
  if (value.contains("outside")) return value["outside"].get<std::string>() + " (outside of the pool)";
  std::string text = "offset " + spell_offset(value["offset"]);
  if (value.contains("root")) text += " (root " + quote(value["root"]) + ")";
  if (value.contains("text")) text += " " + quote(value["text"]);
  return text;
}

std::string spell_plain(const Document& value) {
  if (value.is_string()) return quote(value);
  return value.dump();  // a number, a bool, null
}

bool has_lines(const Document& value) {
  if (!value.is_object()) return false;
  if (value.contains("members")) return true;
  if (!value.contains("elements")) return false;
  for (const Document& element : value["elements"])
    if (has_lines(element)) return true;
  return false;
}

std::string spell(const Document& value, std::size_t indent);

/// Line by line, in braces.
std::string in_lines(const std::vector<std::string>& lines, std::size_t indent) {
  std::string text = "{\n";
  for (const std::string& line : lines) text += std::string(indent + indentation, ' ') + line + "\n";
  return text + std::string(indent, ' ') + "}";
}

/// What stands before a value: as it is declared, in the order of C.
std::string spell_declaration(const Document& member) {
  std::string text = member["type"];
  if (const std::string name = member["name"]; !name.empty()) text += " " + name;
  if (member.contains("bits")) text += " : " + member["bits"].dump();
  return text;
}

std::string spell_members(const Document& members, std::size_t indent) {
  std::vector<std::string> lines;
  for (const Document& member : members)
    lines.push_back(spell_declaration(member) + " = " + spell(member, indent + indentation));
  return in_lines(lines, indent);
}

std::string spell_elements(const Document& array, std::size_t indent) {
  const bool is_in_lines = has_lines(array);
  std::vector<std::string> parts;
  for (const Document& element : array["elements"]) {
    const std::string index = is_in_lines ? "[" + std::to_string(parts.size()) + "] = " : "";
    parts.push_back(index + spell(element, indent + indentation));
  }
  if (array.contains("left_out")) parts.push_back(spell_left_out(array));
  if (is_in_lines) return in_lines(parts, indent);
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return "{" + text + "}";
}

std::string spell(const Document& value, std::size_t indent) {
  if (!value.is_object()) return spell_plain(value);
  if (value.contains("members")) return spell_members(value["members"], indent);
  if (value.contains("elements")) return spell_elements(value, indent);
  if (value.contains("problem")) return "(" + value["problem"].get<std::string>() + ")";
  if (value.contains("bytes")) return value["bytes"];
  if (value.contains("number")) return value["number"];
  if (value.contains("enumerator")) return value["enumerator"];
  if (value.contains("character")) return value["value"].dump() + " '" + value["character"].get<std::string>() + "'";
  if (!value.contains("value")) return spell_pointer(value);
  return spell_plain(value["value"]) + spell_left_out(value);
}

}  // namespace

std::string spell_typed_dump(const Document& dumped) {
  std::string text =
      dumped["type"].get<std::string>() + " " + dumped["root"].get<std::string>() + " = " + spell(dumped, 0) + "\n";
  for (const Document& object : dumped["objects"])
    text += "\noffset " + spell_offset(object["offset"]) + ": " + object["type"].get<std::string>() + " = " +
            spell(object, 0) + "\n";
  return text;
}

}  // namespace perdure::tools
