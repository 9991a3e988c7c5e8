#ifndef PERDURE_ALLOC_CODE_NAMES_H
#define PERDURE_ALLOC_CODE_NAMES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "alloc/program_code.h"
#include "alloc/superblocks.h"

namespace perdure::alloc {

/// What a code address of a pool stands for.
struct CodeName {
  using Kind = CodeKind;
  std::string name;  ///< see ProgramCode
  Kind kind = Kind::table;
  std::uint32_t place = 0;  ///< in the code area (alloc/code_area.h)
  std::uint32_t bytes = 0;  ///< of a table or constant, when it was entered; of a text with its end
  std::uint32_t point = 0;  ///< where in the table objects point to

  /// What is reserved: tables and constants may grow in later versions of a program.
  std::uint32_t reserved() const noexcept;
  /// Whether an object may point to that place in the area, which is among those reserved.
  bool leads_to(std::uint32_t somewhere) const noexcept;
};

/// The names of a pool's code addresses, as they lie in superblocks of kind codes:
///
///   codes := used (8) zero (56) entry*     used: bytes of entries (17 bits), and above them a check
///   entry := check (8) place (4) bytes (4) point (4) name_bytes (2) kind (1) zero (1) name, zeros up to 8 bytes
///
/// They are only added. First the entry becomes durable, then `used` says that it is there, durably; then a place may
/// be stored in an object. So whatever an object holds is named by an entry that is vouched for, and one that does not
/// hold, below `used`, is damage. An entry behind it was cut short, and has no user. A transaction that aborts leaves
/// its names: they harm nobody.
///
/// Not thread-safe: guarded by `code_mutex`.
class CodeNames {
 public:
  /// \throws PoolError (Kind::damaged).
  explicit CodeNames(Superblocks& superblocks);

  const std::vector<CodeName>& all() const noexcept { return names_; }

  /// Null if it is not there.
  const CodeName* find(std::string_view name) const noexcept;
  /// Of the name whose addresses include that place.
  const CodeName* at(std::uint32_t place) const noexcept;

  /// Durable when it returns. \returns null when the pool has no room for the name, or the area none for the table.
  const CodeName* add(CodeName name) noexcept;

  /// Makes durable what a process that was killed may have stored and not flushed.
  void settle() const noexcept;

  static constexpr std::size_t max_name_bytes = 60000;
  static constexpr std::uint32_t max_table_bytes = 1 << 20;

 private:
  struct Head;
  struct Entry;

  void read(std::uint64_t superblock);
  void require_sound_entry(const Entry& entry, std::size_t room) const;
  void require_disjoint();
  [[noreturn]] void refuse() const;
  std::uint64_t offset_of(const void* address) const noexcept;
  std::uint64_t check_of(const Entry& entry) const noexcept;
  std::uint64_t word_for(const Head& head, std::size_t used) const noexcept;
  bool make_room(std::size_t bytes) noexcept;
  bool choose_place(CodeName& name) const noexcept;

  Superblocks& superblocks_;
  std::vector<CodeName> names_;  // by place
  std::vector<std::uint64_t> holders_;
  Head* head_ = nullptr;  // of the superblock that new ones go to
  std::size_t used_ = 0;  // there
};

}  // namespace perdure::alloc

#endif
