#include "die.h"

#include <stdexcept>

namespace perdure::tools {

int tag_of(Die die) { return dwarf_tag(&die); }

std::string_view text_of(Die die, unsigned attribute) {
  Dwarf_Attribute found;
  const char* const text = dwarf_formstring(dwarf_attr(&die, attribute, &found));
  return text == nullptr ? std::string_view() : text;
}

std::string_view bare_name_of(Die die) {
  const std::string_view name = name_of(die);
  return name.substr(0, name.find('<'));
}

bool has_flag(Die die, unsigned attribute) {
  Dwarf_Attribute found;
  bool is_set = false;
  return dwarf_formflag(dwarf_attr(&die, attribute, &found), &is_set) == 0 && is_set;
}

std::optional<std::uint64_t> number_of(Die die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Word number = 0;
  if (dwarf_formudata(dwarf_attr(&die, attribute, &found), &number) != 0) return std::nullopt;
  return number;
}

std::optional<std::int64_t> signed_number_of(Die die, unsigned attribute) {
  Dwarf_Attribute found;
  Dwarf_Sword number = 0;
  if (dwarf_formsdata(dwarf_attr(&die, attribute, &found), &number) != 0) return std::nullopt;
  return number;
}

std::optional<Die> entry_of(Die die, unsigned attribute) {
  Dwarf_Attribute found;
  Die entry;
  if (dwarf_formref_die(dwarf_attr(&die, attribute, &found), &entry) == nullptr) return std::nullopt;
  return entry;
}

std::vector<Die> children_of(Die die) {
  std::vector<Die> children;
  Die child;
  if (dwarf_child(&die, &child) != 0) return children;
  do {
    children.push_back(child);
    // Each lies behind the one before, unless the information is damaged.
  } while (dwarf_siblingof(&child, &child) == 0 && child.addr > children.back().addr);
  return children;
}

std::vector<std::optional<std::uint64_t>> counts_of(Die array) {
  std::vector<std::optional<std::uint64_t>> counts;
  for (const Die& child : children_of(array)) {
    if (tag_of(child) != DW_TAG_subrange_type) continue;
    std::optional<std::uint64_t> count = number_of(child, DW_AT_count);
    if (const auto last = number_of(child, DW_AT_upper_bound); !count && last) count = *last + 1;
    counts.push_back(count);
  }
  return counts;
}

bool is_class(int tag) { return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type; }

bool is_pointer(int tag) {
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool is_qualifier(int tag) {
  return tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
         tag == DW_TAG_atomic_type;
}

void require_nesting(unsigned nesting) {
  if (nesting > max_nesting)
    throw std::runtime_error(
        "the debug information of the program is damaged: its types lead to each other in a circle");
}

}  // namespace perdure::tools
