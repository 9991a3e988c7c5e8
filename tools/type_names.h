#ifndef PERDURE_TOOLS_TYPE_NAMES_H
#define PERDURE_TOOLS_TYPE_NAMES_H

#include <string>
#include <unordered_map>

#include "die.h"

namespace perdure::tools {

/// Spells types as clang does in __PRETTY_FUNCTION__, which is how roots name theirs (roots::type_name): with
/// namespaces, but not the inline ones, and without template arguments that are the default. (Debug information itself
/// has other names: `vector<int, std::allocator<int> >`.)
class TypeNames {
 public:
  /// Debug information leads from a scope to what is in it only.
  void add(const Die& entry, const Die& scope) { scopes_.emplace(entry.addr, scope); }

  /// \throws std::runtime_error when the debug information is damaged.
  std::string spell(const Die& type) const { return spell(type, "", 0); }

 private:
  // `declarator` is what stands behind the type, or around it: "*", "[3]", "(*)(int)"
  std::string spell(const Die& type, const std::string& declarator, unsigned nesting) const;
  std::string spell_target(const Die& type, const std::string& declarator, unsigned nesting) const;
  std::string spell_pointer(const Die& pointer, const std::string& declarator, unsigned nesting) const;
  std::string spell_qualified(const Die& type, const std::string& declarator, unsigned nesting) const;
  std::string spell_parameters(const Die& function, unsigned nesting) const;
  const std::string& spell_named(const Die& type, unsigned nesting) const;
  std::string spell_unseen(const Die& type, unsigned nesting) const;
  std::string spell_scope(const Die& type, unsigned nesting) const;
  std::string spell_template(const Die& type, unsigned nesting) const;
  bool is_of_libcxx(const Die& type) const;
  std::string spell_argument(const Die& argument, unsigned nesting) const;
  std::string spell_enumerator(const Die& enumeration, std::int64_t value, unsigned nesting) const;

  std::unordered_map<const void*, Die> scopes_;                   // by the address of the entry
  mutable std::unordered_map<const void*, std::string> spelled_;  // likewise: types are arguments of many others
};

}  // namespace perdure::tools

#endif
