#ifndef PERDURE_ALLOC_CODE_TABLE_H
#define PERDURE_ALLOC_CODE_TABLE_H

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "alloc/address_map.h"
#include "alloc/code_area.h"
#include "alloc/code_names.h"
#include "alloc/program_code.h"

namespace perdure::alloc {

/// The code addresses of a pool: what objects in it have in place of addresses of the program, which are others in the
/// next run. They lie behind the pool, in its slot, so a pointer to one is right as long as the pool is where it is,
/// and is moved with it. Behind each is what this program has under the name: a copy of the table of virtual functions
/// or of the constant, a jump to the function, or the text. Where it has none, the copy leads to a message.
/// Thread-safe, once it is open.
class CodeTable {
 public:
  /// Reads the names.
  /// \throws PoolError (Kind::damaged).
  explicit CodeTable(Superblocks& superblocks);
  CodeTable(const CodeTable&) = delete;
  CodeTable& operator=(const CodeTable&) = delete;
  ~CodeTable();

  /// Puts what the program has behind all names. From here on libraries that come and go are taken note of.
  void open();

  /// Of an address in the program, or a code address of another pool: that of this pool which stands for the same. A
  /// name that is new is durable when it returns. Other values stay as they are.
  std::uintptr_t translate(std::uintptr_t value) noexcept;

  /// What a code address of this pool stands for; empty if nothing.
  std::string name_at(std::uintptr_t address) const;
  /// What is called by a call of the code address, which is a function's; null if it is none.
  void* target_of(std::uintptr_t address) const noexcept;
  /// The address in the program of what a code address of this pool stands for; the same address if nothing.
  std::uintptr_t in_program(std::uintptr_t address) const noexcept;
  /// Whether an object may hold that place in the area.
  bool is_code(std::uint32_t place) const;

  /// All names, and those that this program does not have.
  std::vector<CodeName> names() const;
  std::vector<CodeName> missing() const;

  void settle() const noexcept { names_.settle(); }

  // Of libraries that are loaded and unloaded.
  static void add(std::span<const ProgramCode> rows);
  static void remove(std::span<const ProgramCode> rows);

 private:
  std::uintptr_t translate_new(std::uintptr_t value) noexcept;
  const CodeName& enter(CodeName wanted) noexcept;
  std::uintptr_t address_for(std::uintptr_t value) noexcept;
  std::uintptr_t address_of_other(std::uintptr_t value) noexcept;
  std::uintptr_t address_of_code(const ProgramCode& code, std::uintptr_t value) noexcept;
  void fill_with_text(const CodeName& name) noexcept;
  void fill(const CodeName& name) noexcept;
  void fill_all() noexcept;
  void forget() noexcept;
  std::uintptr_t address_of(const CodeName& name) const noexcept { return area_.address(name.place + name.point); }
  [[noreturn]] void stop(const std::string& name, const char* why) const;

  Superblocks& superblocks_;
  CodeNames names_;
  CodeArea area_;
  AddressMap known_;  // from addresses of the program, and of other pools, to those here
  bool is_open_ = false;
};

}  // namespace perdure::alloc

#endif
