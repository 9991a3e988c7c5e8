#ifndef PERDURE_TOOLS_SCALARS_H
#define PERDURE_TOOLS_SCALARS_H

#include <cstddef>
#include <string>

#include "die.h"
#include "document.h"
#include "hexadecimal.h"

/// Values of numbers, enumerations, characters and texts. What `read` functions return is described by object_reader.h.
namespace perdure::tools {

/// Bits, at most 64 of them, counted from the lowest of the first byte. They must lie in the bytes.
std::uint64_t bits_of(Bytes bytes, std::uint64_t first, std::uint64_t count);

/// A bit-field, or a whole value of at most eight bytes.
/// \param type  an enumeration, or a base type that is not a floating-point one.
Document read_bits(const Die& type, std::uint64_t bits, std::uint64_t count);

/// \param type  a base type or an enumeration, of as many bytes as there are.
Document read_scalar(const Die& type, Bytes bytes);

/// Of `char`, but not of the character types that programs use for small numbers.
bool is_character(const Die& type);

/// Without the zeros at the end.
std::string read_text(Bytes bytes);

}  // namespace perdure::tools

#endif
