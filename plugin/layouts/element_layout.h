#ifndef PERDURE_PLUGIN_LAYOUTS_ELEMENT_LAYOUT_H
#define PERDURE_PLUGIN_LAYOUTS_ELEMENT_LAYOUT_H

#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "abi/block_layout.h"
#include "layouts/words.h"

namespace perdure::plugin {

/// What an alloc::BlockLayout says: where the pointers are in a block of elements side by side.
struct ElementLayout {
  std::uint32_t element_bytes = 0;
  std::uint32_t first_element = 0;
  std::vector<alloc::LayoutWords> words;
};

/// Of elements of this size, with these words, from `first_element` on. Nothing when it is not certain, or too large to
/// be described.
std::optional<ElementLayout> layout_of(const Words& words, std::uint64_t element_bytes, std::uint64_t first_element);

/// As the value of an attribute, and as part of a symbol. The same text is the same layout.
std::string to_text(const ElementLayout& layout);

/// Nothing if the text is not one of to_text().
std::optional<ElementLayout> layout_from(llvm::StringRef text);

}  // namespace perdure::plugin

#endif
