#ifndef PERDURE_ALLOC_PROGRAM_CODE_H
#define PERDURE_ALLOC_PROGRAM_CODE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::alloc {

/// What pools can hold of a program: its addresses are others in the next run, so they go by names.
enum class CodeKind : std::uint8_t {
  table = 1,  ///< of virtual functions
  function = 2,
  constant = 3,  ///< a variable that nobody changes: its name has `constant_mark` before it
  text = 4       ///< a string literal: its name is `text_mark` and what it says
};

/// Whether pointers may lead anywhere in it, not to one point.
constexpr bool is_data(CodeKind kind) noexcept { return kind == CodeKind::constant || kind == CodeKind::text; }

inline constexpr char constant_mark = '=';
inline constexpr char text_mark = '"';

/// Of a name in a pool. \param bytes  0: of a function
constexpr CodeKind kind_of_code(std::string_view name, std::size_t bytes) noexcept {
  if (name.starts_with(text_mark)) return CodeKind::text;
  if (name.starts_with(constant_mark)) return CodeKind::constant;
  return bytes == 0 ? CodeKind::function : CodeKind::table;
}

/// What this program has under a name.
struct ProgramCode {
  const char* name;  ///< the symbol; of one that only its file knows, with `@` and that file's name; of text the mark
  const void* address;  ///< null: a weak symbol that nobody defines
  std::size_t bytes;    ///< of a table or constant, of text with its end; 0: it is a function

  std::uintptr_t begin() const noexcept { return reinterpret_cast<std::uintptr_t>(address); }
  CodeKind kind() const noexcept { return kind_of_code(name, bytes); }
  /// A pointer of an object leads behind a table's first word, perhaps to its end; one to data leads anywhere in it.
  bool contains(std::uintptr_t pointer) const noexcept;
};

/// All that the files of the program and of its shared libraries offer; each brings rows when it is loaded. They are
/// sorted when somebody asks. Everything is guarded by `code_mutex`.
class ProgramCodes {
 public:
  void add(std::span<const ProgramCode> rows);
  void remove(std::span<const ProgramCode> rows);

  /// What a pointer leads to; null if that is not known.
  const ProgramCode* at(std::uintptr_t address);

  /// Whether all that is known lies elsewhere. Takes no lock.
  bool is_elsewhere(std::uintptr_t address) const noexcept {
    return address < begin_.load(std::memory_order_relaxed) || address >= end_.load(std::memory_order_relaxed);
  }

  /// Null if the program has no such name. Texts go by what they say, and have none.
  const ProgramCode* named(std::string_view name);

  /// Whether several files of one name have functions or tables of this name, which only they know.
  bool is_ambiguous(std::string_view name);

 private:
  void sort();

  std::vector<std::span<const ProgramCode>> rows_;
  std::vector<const ProgramCode*> by_address_;
  std::vector<const ProgramCode*> by_name_;
  bool is_sorted_ = true;
  // Around all rows there have ever been. Relaxed: who has an address from a file knows that it has been loaded.
  std::atomic<std::uintptr_t> begin_{UINTPTR_MAX};
  std::atomic<std::uintptr_t> end_{0};
};

/// Guards what the program offers and the code addresses of all pools. Held during forks.
std::mutex& code_mutex();
ProgramCodes& program_codes();

/// For messages: "Circle", "area(Circle const&)", or the beginning of a text, quoted. \param name  as in the rows.
std::string readable_code(std::string_view name);

}  // namespace perdure::alloc

#endif
