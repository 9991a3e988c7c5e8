#include "program_types.h"

#include <stdexcept>

namespace perdure::tools {
namespace {

/// Debug information in files of its own is looked for where debuggers look for it.
const Dwfl_Callbacks callbacks = {dwfl_build_id_find_elf, dwfl_standard_find_debuginfo, dwfl_offline_section_address,
                                  nullptr};

bool is_named_type(int tag) {
  return is_class(tag) || tag == DW_TAG_enumeration_type || tag == DW_TAG_base_type || tag == DW_TAG_typedef ||
         tag == DW_TAG_unspecified_type;
}

bool is_unnamed_type(int tag) { return is_pointer(tag) || is_qualifier(tag) || tag == DW_TAG_array_type; }

/// Where a unit's debug information is, by -gsplit-dwarf.
std::string split_file_of(const Die& unit) {
  const std::string_view name = text_of(unit, DW_AT_dwo_name);
  return std::string(name.empty() ? text_of(unit, DW_AT_GNU_dwo_name) : name);
}

bool is_scope(int tag) { return tag == DW_TAG_namespace || is_class(tag); }

}  // namespace

ProgramTypes::ProgramTypes(const std::filesystem::path& program) : path_(program), session_(dwfl_begin(&callbacks)) {
  add_units(open());
  require_types();
}

void ProgramTypes::refuse(const std::string& message) const {
  throw std::runtime_error("program '" + path_.string() + "': " + message);
}

Dwarf* ProgramTypes::open() {
  if (!session_) refuse(dwfl_errmsg(-1));
  Dwfl_Module* const module = dwfl_report_offline(session_.get(), "", path_.c_str(), -1);
  if (module == nullptr) refuse(std::string(dwfl_errmsg(-1)) + ". Give the program that uses the pool.");
  dwfl_report_end(session_.get(), nullptr, nullptr);
  Dwarf_Addr bias = 0;
  Dwarf* const information = dwfl_module_getdwarf(module, &bias);
  if (information == nullptr)
    refuse("there is no debug information (" + std::string(dwfl_errmsg(-1)) +
           "). Compile the program with -g, and do not strip it.");
  return information;
}

void ProgramTypes::add_units(Dwarf* information) {
  if (!added_.insert(information).second) return;
  Dwarf_CU* unit = nullptr;
  std::uint8_t kind = 0;
  Die entry{};
  Die split{};
  while (dwarf_get_units(information, unit, &unit, nullptr, &kind, &entry, &split) == 0) {
    add_children(entry, 0);
    if (tag_of(split) == DW_TAG_compile_unit && kind == DW_UT_skeleton)
      add_units(dwarf_cu_getdwarf(split.cu));
    else if (kind == DW_UT_skeleton)
      missing_ = split_file_of(entry);
  }
}

/// Below the depth of nesting there is nothing but damage.
void ProgramTypes::add_children(const Die& parent, unsigned nesting) {
  if (nesting > max_nesting) return;
  const bool is_in_scope = is_scope(tag_of(parent));
  for (const Die& child : children_of(parent)) {
    const int tag = tag_of(child);
    if (is_in_scope && (is_scope(tag) || is_named_type(tag))) names_.add(child, parent);
    if (is_named_type(tag) && !has_flag(child, DW_AT_declaration)) named_[bare_name_of(child)].push_back(child);
    if (is_unnamed_type(tag)) unnamed_.push_back(child);
    add_children(child, nesting + 1);
  }
}

void ProgramTypes::require_types() const {
  if (!named_.empty()) return;
  refuse("its debug information tells of no types. Compile the program with -g, instead of -g1 or -gline-tables-only" +
         spell_missing() + ".");
}

std::string ProgramTypes::spell_missing() const {
  return missing_.empty() ? "" : ", and leave '" + missing_ + "', which is not there, where the compiler has put it";
}

std::vector<Die> ProgramTypes::find(std::string_view text, const std::function<bool(const Die&)>& is_wanted) const {
  std::vector<Die> found;
  const auto add = [&](const std::vector<Die>& types) {
    for (const Die& type : types)
      if (is_wanted(type)) found.push_back(type);
  };
  for (const auto& [name, types] : named_)
    if (text.find(name) != std::string_view::npos) add(types);
  const bool is_named = text.find_first_of("*&]") == std::string_view::npos && !text.starts_with("const ") &&
                        !text.starts_with("volatile ");
  if (!is_named) add(unnamed_);
  return found;
}

std::optional<Die> ProgramTypes::strip(const Die& type) const {
  std::optional<Die> stripped = type;
  for (unsigned nesting = 0; stripped; ++nesting) {
    require_nesting(nesting);
    const int tag = tag_of(*stripped);
    if (tag != DW_TAG_typedef && !is_qualifier(tag)) return definition_of(*stripped);
    stripped = type_of(*stripped);
  }
  return stripped;
}

Die ProgramTypes::definition_of(const Die& type) const {
  if (!has_flag(type, DW_AT_declaration)) return type;
  if (const std::optional<Die> definition = entry_of(type, DW_AT_signature)) return *definition;
  const auto candidates = named_.find(bare_name_of(type));
  if (candidates == named_.end()) return type;
  const std::string name = names_.spell(type);
  for (const Die& candidate : candidates->second)
    if (is_class(tag_of(candidate)) == is_class(tag_of(type)) && names_.spell(candidate) == name) return candidate;
  return type;
}

std::optional<std::uint64_t> ProgramTypes::size_of(const Die& type) const { return size_of(type, 0); }

std::optional<std::uint64_t> ProgramTypes::size_of(const Die& type, unsigned nesting) const {
  require_nesting(nesting);
  const std::optional<Die> stripped = strip(type);
  if (!stripped) return std::nullopt;
  if (const auto size = number_of(*stripped, DW_AT_byte_size)) return size;
  if (is_pointer(tag_of(*stripped))) return sizeof(void*);
  if (tag_of(*stripped) != DW_TAG_array_type) return std::nullopt;
  const std::optional<Die> element = type_of(*stripped);
  std::optional<std::uint64_t> size = element ? size_of(*element, nesting + 1) : std::nullopt;
  for (const auto& count : counts_of(*stripped))
    if (size && __builtin_mul_overflow(*size, count.value_or(0), &*size)) return std::nullopt;
  return size;
}

}  // namespace perdure::tools
