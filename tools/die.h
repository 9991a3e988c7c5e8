#ifndef PERDURE_TOOLS_DIE_H
#define PERDURE_TOOLS_DIE_H

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

/// What entries of debug information (DWARF calls one a DIE) say. A damaged entry says nothing, or something wrong;
/// whoever follows references bounds how far, since they may lead in a circle.
namespace perdure::tools {

using Die = Dwarf_Die;

/// DW_TAG_invalid when the entry is damaged.
int tag_of(Die die);

/// Empty when there is none. Lives as long as the debug information.
std::string_view text_of(Die die, unsigned attribute);

inline std::string_view name_of(Die die) { return text_of(die, DW_AT_name); }

/// Of a template, the name without its arguments.
std::string_view bare_name_of(Die die);

bool has_flag(Die die, unsigned attribute);

std::optional<std::uint64_t> number_of(Die die, unsigned attribute);
std::optional<std::int64_t> signed_number_of(Die die, unsigned attribute);

/// The entry that an attribute refers to.
std::optional<Die> entry_of(Die die, unsigned attribute);

/// Of a variable, member, pointer, array and the like. None: void.
inline std::optional<Die> type_of(Die die) { return entry_of(die, DW_AT_type); }

std::vector<Die> children_of(Die die);

/// Of an array, one for each dimension; none where the type does not say.
std::vector<std::optional<std::uint64_t>> counts_of(Die array);

bool is_class(int tag);
bool is_pointer(int tag);
/// const, volatile and the like.
bool is_qualifier(int tag);

/// How deep entries may lie in each other, or lead to each other, before they are taken to be damaged: more than any
/// compiler makes.
inline constexpr unsigned max_nesting = 200;

/// \throws std::runtime_error
void require_nesting(unsigned nesting);

}  // namespace perdure::tools

#endif
