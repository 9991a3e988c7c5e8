#ifndef PERDURE_C_LIBRARY_PARSE_NUMBER_H
#define PERDURE_C_LIBRARY_PARSE_NUMBER_H

#include "c/library/private_memory.h"
#include "c/library/text_reader.h"

namespace perdure::c {

/// strtol and the others: `parse(text, end)` on a copy of the text.
template <class Character, class Parse>
auto parse_number(const Character* text, Character** end, Parse&& parse) {
  PrivateMemory memory;
  const Character* const copy = copy_text(memory, text);
  Character* end_in_copy = nullptr;
  const auto value = setting_errno([&] { return parse(copy, &end_in_copy); });
  write_end(end, text, copy, end_in_copy);
  return value;
}

}  // namespace perdure::c

#endif
