// The transactions that list, rename and drop roots, whatever their type. Compiled with the plugin.
#include <memory>

#include "perdure/roots.h"

namespace perdure::roots {
namespace {

/// Copies what is in use to the front of `copy`. \returns how many there are.
std::size_t copy_used(const RootTable& table, RootTable& copy) {
  std::size_t used = 0;
  const Root* const end = table.roots.data() + max_roots;
  for (const Root* root = table.roots.data(); root != end; ++root)
    if (root->object != nullptr) std::memcpy(copy.roots.data() + used++, root, sizeof(Root));
  return used;
}

enum class Renaming { done, missing, taken };

Renaming rename_in_transaction(RootTable& table, std::string_view from, std::string_view to) {
  Root* const root = detail::find(table, from);
  if (root == nullptr) return Renaming::missing;
  const Root* const other = detail::find(table, to);
  if (other == root) return Renaming::done;
  if (other != nullptr) return Renaming::taken;
  detail::copy_text(root->name.data(), to, max_name_length);
  return Renaming::done;
}

}  // namespace

std::vector<RootInfo> list(const RootTable& table) {
  // Names and types are made of a copy: in the transaction, strings would be allocated in the pool.
  const auto copy = std::make_unique<RootTable>();
  const std::size_t used = execute([&] { return copy_used(table, *copy); });
  std::vector<RootInfo> roots;
  for (std::size_t i = 0; i < used; ++i) {
    const Root& root = copy->roots[i];
    roots.push_back({root.name.data(), root.type_name.data(), root.size, root.alignment});
  }
  return roots;
}

void rename(RootTable& table, std::string_view from, std::string_view to) {
  detail::check_name(table, from);
  detail::check_name(table, to);
  switch (execute([&] { return rename_in_transaction(table, from, to); })) {
    case Renaming::missing:
      detail::refuse_missing(table, from);
    case Renaming::taken:
      detail::refuse_taken(table, to);
    case Renaming::done:
      break;
  }
}

bool drop(RootTable& table, std::string_view name) {
  detail::check_name(table, name);
  return execute([&] {
    Root* const root = detail::find(table, name);
    if (root == nullptr) return false;
    ::operator delete(root->object);
    root->object = nullptr;
    return true;
  });
}

}  // namespace perdure::roots
