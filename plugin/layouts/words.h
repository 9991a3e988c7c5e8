#ifndef PERDURE_PLUGIN_LAYOUTS_WORDS_H
#define PERDURE_PLUGIN_LAYOUTS_WORDS_H

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/SmallVector.h>

#include <cstdint>
#include <map>
#include <utility>

#include "abi/block_layout.h"

namespace perdure::plugin {

/// A word that is or may be a pointer.
struct Word {
  using Kind = alloc::LayoutWords::Kind;

  Kind kind;
  std::uint64_t test_offset = 0;  ///< of the byte that a conditional one depends on, and the two after it
  std::uint8_t test_mask = 0;
  std::uint8_t test_value = 0;

  bool operator==(const Word&) const = default;
};

inline constexpr std::uint64_t word_bytes = 8;

/// What the words of a type hold. Those that are not listed hold no pointer; some of their bytes are data, some
/// nothing.
class Words {
 public:
  struct Bytes {
    std::uint64_t begin;
    std::uint64_t end;  ///< behind the last one
  };

  /// These bytes hold something else than a pointer.
  void put_data(std::uint64_t begin, std::uint64_t end);
  void put(std::uint64_t offset, const Word& word);
  /// What lies in these bytes may contain pointers; as many words as there is room for.
  void put_unsure(std::uint64_t begin, std::uint64_t end);
  /// A part of the type that lies there.
  void put(std::uint64_t offset, const Words& part);
  /// The elements of an array.
  void put_array(const Words& element, std::uint64_t element_bytes, std::uint64_t count);

  /// Says that nothing is certain.
  void give_up() { is_known_ = false; }

  bool is_known() const { return is_known_; }
  const std::map<std::uint64_t, Word>& words() const { return words_; }
  llvm::ArrayRef<Bytes> data() const { return data_; }

 private:
  std::map<std::uint64_t, Word> words_;  // by offset
  llvm::SmallVector<Bytes> data_;
  bool is_known_ = true;
};

/// Of a union, where nothing tells which of its members is there.
Words union_of(llvm::ArrayRef<Words> members);

/// Of a variant: the byte at `test_offset` tells which of these is there. All begin at offset 0.
Words choice_of(llvm::ArrayRef<Words> alternatives, std::uint64_t test_offset);

}  // namespace perdure::plugin

#endif
