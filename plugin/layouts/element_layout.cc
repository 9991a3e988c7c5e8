#include "layouts/element_layout.h"

#include <llvm/ADT/StringExtras.h>

namespace perdure::plugin {

namespace {

using alloc::BlockLayout;
using alloc::LayoutWords;

constexpr llvm::StringLiteral kinds = "?puc";  // the letter of a kind is at its number

bool continues(const LayoutWords& run, std::uint64_t offset, const Word& word) {
  return run.offset + run.count * word_bytes == offset && run.kind == word.kind &&
         run.test_offset == word.test_offset && run.test_mask == word.test_mask && run.test_value == word.test_value;
}

LayoutWords run_of_one(std::uint64_t offset, const Word& word) {
  return {static_cast<std::uint32_t>(offset),          1, word.kind, word.test_mask, word.test_value, 0,
          static_cast<std::uint32_t>(word.test_offset)};
}

/// A number that the text begins with.
bool consume(llvm::StringRef& text, llvm::StringRef mark, std::uint32_t& number) {
  return text.consume_front(mark) && !text.consumeInteger(10, number);
}

bool consume(llvm::StringRef& text, llvm::StringRef mark, std::uint8_t& number) {
  std::uint32_t wide = 0;
  if (!consume(text, mark, wide)) return false;
  number = static_cast<std::uint8_t>(wide);
  return wide == number;
}

std::optional<LayoutWords> words_from(llvm::StringRef text) {
  LayoutWords words{};
  const std::size_t kind = text.empty() ? 0 : kinds.find(text.front());
  if (kind == 0 || kind == llvm::StringRef::npos) return std::nullopt;
  words.kind = static_cast<LayoutWords::Kind>(kind);
  bool is_complete = consume(text, text.take_front(), words.offset) && consume(text, "x", words.count);
  if (words.kind == LayoutWords::Kind::conditional)
    is_complete = is_complete && consume(text, "if", words.test_offset) && consume(text, "and", words.test_mask) &&
                  consume(text, "is", words.test_value);
  return is_complete && text.empty() ? std::optional(words) : std::nullopt;
}

}  // namespace

std::optional<ElementLayout> layout_of(const Words& words, std::uint64_t element_bytes, std::uint64_t first_element) {
  if (!words.is_known()) return std::nullopt;
  if (words.words().empty()) return ElementLayout();
  if (element_bytes % word_bytes != 0 || first_element % word_bytes != 0) return std::nullopt;
  if (element_bytes > BlockLayout::max_element_bytes) return std::nullopt;
  ElementLayout layout{static_cast<std::uint32_t>(element_bytes), static_cast<std::uint32_t>(first_element), {}};
  for (const auto& [offset, word] : words.words()) {
    if (offset + word_bytes > element_bytes) return std::nullopt;
    if (!layout.words.empty() && continues(layout.words.back(), offset, word))
      ++layout.words.back().count;
    else
      layout.words.push_back(run_of_one(offset, word));
  }
  return layout.words.size() <= BlockLayout::max_words ? std::optional(layout) : std::nullopt;
}

std::string to_text(const ElementLayout& layout) {
  std::string text = llvm::utostr(layout.element_bytes) + "from" + llvm::utostr(layout.first_element);
  for (const LayoutWords& words : layout.words) {
    text += '.';
    text += kinds[static_cast<std::size_t>(words.kind)];
    text += llvm::utostr(words.offset) + "x" + llvm::utostr(words.count);
    if (words.kind == LayoutWords::Kind::conditional)
      text += "if" + llvm::utostr(words.test_offset) + "and" + llvm::utostr(words.test_mask) + "is" +
              llvm::utostr(words.test_value);
  }
  return text;
}

std::optional<ElementLayout> layout_from(llvm::StringRef text) {
  ElementLayout layout;
  auto [sizes, rest] = text.split('.');
  if (!consume(sizes, "", layout.element_bytes) || !consume(sizes, "from", layout.first_element) || !sizes.empty())
    return std::nullopt;
  while (!rest.empty()) {
    const auto [first, others] = rest.split('.');
    const auto words = words_from(first);
    if (!words) return std::nullopt;
    layout.words.push_back(*words);
    rest = others;
  }
  return layout;
}

}  // namespace perdure::plugin
