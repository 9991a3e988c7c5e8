#ifndef PERDURE_TOOLS_PROGRAM_TYPES_H
#define PERDURE_TOOLS_PROGRAM_TYPES_H

#include <elfutils/libdwfl.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "type_names.h"

namespace perdure::tools {

/// The types of a program, a shared object or an object file, from its debug information (DWARF 4 or 5), which may be
/// in files of its own.
class ProgramTypes {
 public:
  /// \throws std::runtime_error when there is no such file, or it has no debug information that tells of types.
  explicit ProgramTypes(const std::filesystem::path& program);
  ProgramTypes(const ProgramTypes&) = delete;
  ProgramTypes& operator=(const ProgramTypes&) = delete;

  const std::filesystem::path& path() const { return path_; }
  const TypeNames& names() const { return names_; }

  /// For messages: which debug information was not found; empty when all is there.
  std::string spell_missing() const;

  /// The types whose name, or that of what they point to and the like, is part of `text`, and that `is_wanted`.
  std::vector<Die> find(std::string_view text, const std::function<bool(const Die&)>& is_wanted) const;

  /// What the type is, below typedefs and qualifiers; the definition, if the program has it, of what is only declared.
  /// No entry: void.
  std::optional<Die> strip(const Die& type) const;

  /// In bytes. None: the type has no size, or the program does not know it.
  std::optional<std::uint64_t> size_of(const Die& type) const;

 private:
  struct CloseSession {
    void operator()(Dwfl* session) const { dwfl_end(session); }
  };

  [[noreturn]] void refuse(const std::string& message) const;
  Dwarf* open();
  void add_units(Dwarf* information);
  void add_children(const Die& parent, unsigned nesting);
  void require_types() const;
  Die definition_of(const Die& type) const;
  std::optional<std::uint64_t> size_of(const Die& type, unsigned nesting) const;

  std::filesystem::path path_;
  std::unique_ptr<Dwfl, CloseSession> session_;
  TypeNames names_;
  std::unordered_set<Dwarf*> added_;
  std::unordered_map<std::string_view, std::vector<Die>> named_;  // definitions, by their bare name
  std::vector<Die> unnamed_;                                      // pointers, arrays and the like
  std::string missing_;                                           // file with debug information that was not found
};

}  // namespace perdure::tools

#endif
