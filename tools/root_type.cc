#include "root_type.h"

#include "pool/refuse.h"

namespace perdure::tools {
namespace {

/// The hash also tells names that were cut.
bool is_name_of(const roots::Root& root, const std::string& name) {
  return name == root.type_name.data() || roots::detail::hash(name) == root.type_name_hash;
}

/// Debug information tells the alignment only where the program asks for one.
bool has_layout(const ProgramTypes& program, const Die& type, const roots::Root& root) {
  const std::optional<Die> stripped = program.strip(type);
  if (!stripped || program.size_of(type) != root.size) return false;
  return number_of(*stripped, DW_AT_alignment).value_or(root.alignment) == root.alignment;
}

std::string describe(const std::string& name, std::uint64_t size, std::uint64_t alignment) {
  return "'" + name + "' (size " + std::to_string(size) +
         (alignment == 0 ? "" : ", alignment " + std::to_string(alignment)) + ")";
}

std::string describe(const ProgramTypes& program, const Die& type) {
  const std::optional<Die> stripped = program.strip(type);
  const std::uint64_t alignment = stripped ? number_of(*stripped, DW_AT_alignment).value_or(0) : 0;
  return describe(program.names().spell(type), program.size_of(type).value_or(0), alignment);
}

/// What the program has under the same name in other scopes.
std::string describe_similar(const ProgramTypes& program, const roots::Root& root) {
  const std::string_view wanted = root.type_name.data();
  const std::vector<Die> similar = program.find(wanted, [&](const Die& type) {
    const std::string_view name = bare_name_of(type);
    const std::string_view scope_and_name = wanted.substr(0, wanted.find('<'));
    return is_class(tag_of(type)) && !name.empty() && scope_and_name.ends_with(name);
  });
  return similar.empty() ? "" : " (it has " + describe(program, similar.front()) + ")";
}

[[noreturn]] void refuse(const roots::Root& root, const std::filesystem::path& pool, const std::string& program) {
  pool::refuse(PoolError::Kind::root_type_mismatch, pool,
               "the root '" + std::string(root.name.data()) + "' has type " +
                   describe(root.type_name.data(), root.size, root.alignment) + ", " + program);
}

}  // namespace

Die find_type(const ProgramTypes& program, const roots::Root& root, const std::filesystem::path& pool) {
  const std::vector<Die> found = program.find(
      root.type_name.data(), [&](const Die& type) { return is_name_of(root, program.names().spell(type)); });
  for (const Die& type : found)
    if (has_layout(program, type, root)) return type;
  const std::string name = "program '" + program.path().string() + "'";
  if (!found.empty())
    refuse(root, pool,
           "but that of the " + name + " is " + describe(program, found.front()) +
               ". Give the program that made the root, as it was then.");
  refuse(root, pool,
         "and the debug information of the " + name + " has none of that name" + describe_similar(program, root) +
             ". Give the program that made the root, compiled with -g" + program.spell_missing() + ".");
}

}  // namespace perdure::tools
