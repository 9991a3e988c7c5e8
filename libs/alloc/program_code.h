#ifndef PERDURE_ALLOC_PROGRAM_CODE_H
#define PERDURE_ALLOC_PROGRAM_CODE_H

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::alloc {

/// What this program has under a name: a table of virtual functions, or a function.
struct ProgramCode {
  const char* name;     ///< the symbol; of one that only its file knows, with `@` and that file's name
  const void* address;  ///< null: a weak symbol that nobody defines
  std::size_t bytes;    ///< of a table; 0: it is a function

  std::uintptr_t begin() const noexcept { return reinterpret_cast<std::uintptr_t>(address); }
};

/// All that the files of the program and of its shared libraries offer; each brings rows when it is loaded. They are
/// sorted when somebody asks. Everything is guarded by `code_mutex`.
class ProgramCodes {
 public:
  void add(std::span<const ProgramCode> rows);
  void remove(std::span<const ProgramCode> rows);

  /// The function at an address, or the table that objects point into there; null if none is known. A pointer of an
  /// object leads behind a table's first word, perhaps to its end.
  const ProgramCode* at(std::uintptr_t address);

  /// Null if the program has no such name.
  const ProgramCode* named(std::string_view name);

  /// Whether several files of one name have functions or tables of this name, which only they know.
  bool is_ambiguous(std::string_view name);

 private:
  void sort();

  std::vector<std::span<const ProgramCode>> rows_;
  std::vector<const ProgramCode*> by_address_;
  std::vector<const ProgramCode*> by_name_;
  bool is_sorted_ = true;
};

/// Guards what the program offers and the code addresses of all pools. Held during forks.
std::mutex& code_mutex();
ProgramCodes& program_codes();

/// For messages: "Circle", or "area(Circle const&)". \param name  as in the rows.
std::string readable_code(std::string_view name);

}  // namespace perdure::alloc

#endif
