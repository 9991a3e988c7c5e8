#include "layouts/words.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/MathExtras.h>

#include <optional>
#include <set>

namespace perdure::plugin {

namespace {

constexpr std::uint64_t most_words = alloc::BlockLayout::max_element_bytes / word_bytes;
constexpr std::uint8_t whole_byte = 0xff;

bool has_data_in_word(const Words& words, std::uint64_t offset) {
  return llvm::any_of(
      words.data(), [&](const Words::Bytes& bytes) { return bytes.begin < offset + word_bytes && bytes.end > offset; });
}

std::set<std::uint64_t> offsets_in(llvm::ArrayRef<Words> parts) {
  std::set<std::uint64_t> offsets;
  for (const Words& part : parts)
    for (const auto& [offset, word] : part.words()) offsets.insert(offset);
  return offsets;
}

std::optional<Word> word_at(const Words& words, std::uint64_t offset) {
  const auto position = words.words().find(offset);
  return position != words.words().end() ? std::optional(position->second) : std::nullopt;
}

/// Data, and what is not known, of all parts that lie in the same place.
Words superposed(llvm::ArrayRef<Words> parts) {
  Words result;
  for (const Words& part : parts) {
    for (const auto& [begin, end] : part.data()) result.put_data(begin, end);
    if (!part.is_known()) result.give_up();
  }
  return result;
}

/// Certain only if all members that reach the word have the same there.
Word word_of_union(llvm::ArrayRef<Words> members, std::uint64_t offset) {
  std::optional<Word> common;
  for (const Words& member : members) {
    const auto word = word_at(member, offset);
    if (!word && !has_data_in_word(member, offset)) continue;
    if (!word || (common && *common != *word)) return {Word::Kind::unsure};
    common = word;
  }
  return *common;
}

Word word_of_choice(llvm::ArrayRef<Words> alternatives, std::uint64_t offset, std::uint64_t test_offset) {
  std::size_t pointers = 0, last = 0;
  for (std::size_t i = 0; i < alternatives.size(); ++i) {
    const auto word = word_at(alternatives[i], offset);
    if (!word) continue;
    if (word->kind != Word::Kind::pointer) return {Word::Kind::unsure};
    ++pointers;
    last = i;
  }
  if (pointers == alternatives.size()) return {Word::Kind::pointer};
  if (pointers > 1) return {Word::Kind::unsure};
  return {Word::Kind::conditional, test_offset, whole_byte, static_cast<std::uint8_t>(last)};
}

}  // namespace

void Words::put_data(std::uint64_t begin, std::uint64_t end) {
  if (begin < end) data_.push_back({begin, end});
}

void Words::put(std::uint64_t offset, const Word& word) {
  if (offset % word_bytes != 0 || words_.size() >= most_words) return give_up();
  words_[offset] = word;
}

void Words::put_unsure(std::uint64_t begin, std::uint64_t end) {
  for (std::uint64_t offset = llvm::alignTo(begin, word_bytes); is_known_ && offset + word_bytes <= end;
       offset += word_bytes)
    put(offset, Word{Word::Kind::unsure});
}

void Words::put(std::uint64_t offset, const Words& part) {
  for (const auto& [begin, end] : part.data_) put_data(offset + begin, offset + end);
  for (auto [position, word] : part.words_) {
    if (word.kind == Word::Kind::conditional) word.test_offset += offset;
    put(offset + position, word);
    if (!is_known_) return;
  }
  if (!part.is_known_) give_up();
}

void Words::put_array(const Words& element, std::uint64_t element_bytes, std::uint64_t count) {
  if (!element.is_known_) return give_up();
  if (!element.data_.empty()) put_data(0, element_bytes * count);
  if (element.words_.empty()) return;
  Words without_data = element;
  without_data.data_.clear();
  for (std::uint64_t i = 0; is_known_ && i < count; ++i) put(i * element_bytes, without_data);
}

Words union_of(llvm::ArrayRef<Words> members) {
  Words result = superposed(members);
  for (const std::uint64_t offset : offsets_in(members)) result.put(offset, word_of_union(members, offset));
  return result;
}

Words choice_of(llvm::ArrayRef<Words> alternatives, std::uint64_t test_offset) {
  Words result = superposed(alternatives);
  if (alternatives.size() > whole_byte) result.give_up();
  for (const std::uint64_t offset : offsets_in(alternatives))
    result.put(offset, word_of_choice(alternatives, offset, test_offset));
  return result;
}

}  // namespace perdure::plugin
