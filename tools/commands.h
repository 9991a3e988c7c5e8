#ifndef PERDURE_TOOLS_COMMANDS_H
#define PERDURE_TOOLS_COMMANDS_H

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "document.h"
#include "relocate/relocation.h"

/// What each command finds. All but `recover`, `grow`, `trim`, `compact` and `relocate` leave the file as it is.
namespace perdure::tools {

/// What the header says, and whether there are second copies; also of a pool that is in use.
/// \throws PoolError when the file is no pool, or its header is damaged.
Document info(const std::filesystem::path& path);

/// What is wrong with the pool: the list `damage` is empty when nothing is.
/// \throws PoolError when that cannot be told: there is no such file, it may not be read, or is in use.
Document check(const std::filesystem::path& path);

/// Which of its pages are not what was written there last, by their checksums: the list `damage` names them. All are
/// read, and nothing else is looked at.
/// \throws PoolError when that cannot be told: Kind::usage where it has no log beside it.
Document scrub(const std::filesystem::path& path);

/// \throws PoolError, see Pool::open.
Document roots(const std::filesystem::path& path);

/// What the pool's space is used for.
/// \throws PoolError, see Pool::open.
Document stats(const std::filesystem::path& path);

/// Opens the pool and closes it.
/// \throws PoolError, see Pool::open; also when there is no such file.
Document recover(const std::filesystem::path& path);

/// Makes the pool at least `bytes` long, and reserves the disk space of as much, which it keeps until it is trimmed.
/// \throws PoolError, see Pool::open; also when there is no such file; Kind::no_space.
Document grow(const std::filesystem::path& path, std::uint64_t bytes);

/// Gives back the disk space of all that is free, and what `grow` has reserved; cuts what is free at the end.
/// \throws PoolError, see Pool::open; also when there is no such file.
Document trim(const std::filesystem::path& path);

/// Moves objects together, see compaction/compaction.h, and trims.
/// \throws PoolError, see compaction::compact and Pool::open; also when there is no such file.
Document compact(const std::filesystem::path& path);

struct Relocation {
  std::optional<std::uint64_t> address;  ///< where to; otherwise to any other than where it is
  relocate::UnsureWords unsure = relocate::UnsureWords::refuse;
};

/// Moves a pool to another address; recovers it before if need be.
/// \throws PoolError, see relocate::relocate; Kind::usage when no pool can live at that address.
Document relocate(const std::filesystem::path& path, const Relocation& options);

/// The bytes of a root's object, in hexadecimal.
/// \throws PoolError, see Pool::open; Kind::no_such_root.
Document dump(const std::filesystem::path& path, const std::string& root);

/// The same for people: an address, sixteen bytes and their characters in a line.
std::string spell_dump(const Document& dumped);

/// What is read of a root's object by its type, and how much of it.
struct TypedDump {
  std::filesystem::path program;  ///< with debug information: it says what the type is
  std::uint64_t depth = 0;        ///< how many pointers lead from the root to the objects that are read, too
  std::uint64_t elements = 200;   ///< of an array, and characters of a text; 0: all
};

/// A root's object as its type says; the program's type must be that of the root's fingerprint. See object_reader.h.
/// \throws PoolError, see Pool::open; Kind::no_such_root, Kind::root_type_mismatch; std::runtime_error when the program
/// has no debug information.
Document dump_typed(const std::filesystem::path& path, const std::string& root, const TypedDump& options);

/// The same for people: members with their types and values.
std::string spell_typed_dump(const Document& dumped);

}  // namespace perdure::tools

#endif
