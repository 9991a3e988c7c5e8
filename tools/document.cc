#include "document.h"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "pool/refuse.h"

namespace perdure::tools {
namespace {

using Row = std::vector<std::string>;

bool is_size(std::string_view name) { return name.ends_with("_bytes"); }

std::string spell_name(std::string name) {
  if (is_size(name)) name.erase(name.rfind('_'));
  std::ranges::replace(name, '_', ' ');
  return name;
}

/// What is in a pool may be anything, also what would command a terminal.
std::string printable(std::string text) {
  for (char& character : text)
    if (static_cast<unsigned char>(character) < ' ' || character == '\x7f') character = '?';
  return text;
}

std::string spell_value(const std::string& name, const Document& value) {
  if (value.is_string()) return printable(value);
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number_unsigned() && is_size(name)) return pool::spell_bytes(value);
  if (value.is_number_float()) {
    std::ostringstream text;
    text << std::fixed << std::setprecision(2) << value.get<double>();
    return text.str();
  }
  return value.dump();
}

/// Columns are as wide as their widest cell; numbers are at the right.
void print_rows(const std::vector<Row>& rows, const std::vector<bool>& is_number, std::ostream& out) {
  std::vector<std::size_t> widths(is_number.size());
  for (const Row& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - row[i].size(), ' ');
      line += (i == 0 ? "" : "  ") + (is_number[i] ? padding + row[i] : row[i] + padding);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

void print_rows_of(const Document& table, std::ostream& out) {
  std::vector<Row> rows(1);
  std::vector<bool> is_number;
  for (const auto& [name, value] : table.front().items()) {
    rows.front().push_back(spell_name(name));
    is_number.push_back(value.is_number());
  }
  for (const Document& entry : table) {
    Row& row = rows.emplace_back();
    for (const auto& [name, value] : entry.items()) row.push_back(spell_value(name, value));
  }
  print_rows(rows, is_number, out);
}

void print_list(const std::string& name, const Document& list, std::ostream& out) {
  out << '\n' << spell_name(name) << (list.empty() ? ": none\n" : ":\n");
  if (list.empty()) return;
  if (list.front().is_object()) return print_rows_of(list, out);
  for (const Document& text : list) out << "- " << spell_value(name, text) << '\n';
}

}  // namespace

void print_json(const Document& document, std::ostream& out) {
  out << document.dump(2, ' ', false, Document::error_handler_t::replace) << '\n';
}

void print_table(const Document& document, std::ostream& out) {
  std::vector<Row> lines;
  for (const auto& [name, value] : document.items())
    if (!value.is_array()) lines.push_back({spell_name(name), spell_value(name, value)});
  print_rows(lines, {false, false}, out);
  for (const auto& [name, value] : document.items())
    if (value.is_array()) print_list(name, value, out);
}

}  // namespace perdure::tools
