#ifndef PERDURE_TOOLS_OBJECT_READER_H
#define PERDURE_TOOLS_OBJECT_READER_H

#include <limits>

#include "document.h"
#include "hexadecimal.h"
#include "open/open_pool.h"
#include "program_types.h"

namespace perdure::tools {

/// Reads objects of a pool as what their types say they are. A value is a document that has one of these:
///
/// - `value`: a number, bool, text, or null for a null pointer; with it the name of an enumeration's `enumerator`, or
///   the `character`
/// - `number`: a text, of what is not finite
/// - `offset`: of what a pointer leads to in the pool; with it the `root` whose object that is, and the `text` there
/// - `outside`: the address that a pointer holds which leads out of the pool
/// - `members`: a list of values with `name`, `type` and perhaps the number of `bits`; base classes have no name
/// - `elements`: a list of values; of those that have nothing else, `value` itself
/// - `bytes`, in hexadecimal, of types that are none of these
/// - `problem`: why there is no value
///
/// Lists and texts that are cut have `left_out`, the number of elements that follow.
class ObjectReader {
 public:
  /// \param max_elements  of an array that are read; characters of a text.
  ObjectReader(const ProgramTypes& program, opening::OpenPool& pool, std::uint64_t max_elements)
      : program_(program), pool_(pool), max_elements_(max_elements) {}

  /// \param bytes  what may be read, from where the object begins.
  /// \throws std::runtime_error when the debug information is damaged.
  Document read(const Die& type, Bytes bytes) { return read(type, bytes, 0); }

  struct Object {
    Die type;
    Bytes bytes;  // perhaps more than its own
  };

  /// What pointers that were read since the last call lead to.
  std::vector<Object> take_pointees() { return std::exchange(pointees_, {}); }

  /// Says that an address lies in the pool, `offset` and `root`, or does not.
  Document locate(std::uintptr_t address) const;

 private:
  Document read(const Die& given, Bytes bytes, unsigned nesting);
  Document read_pointer(const Die& pointer, Bytes bytes);
  Document read_text_at(Bytes bytes) const;
  Document read_class(const Die& type, Bytes bytes, unsigned nesting);
  Document read_member(const Die& member, const Die& type, Bytes bytes, unsigned nesting);
  Document read_bit_field(const Die& member, const Die& type, Bytes bytes, std::uint64_t count) const;
  Document read_array(const Die& element, std::span<const std::uint64_t> counts, Bytes bytes, unsigned nesting);
  Document cut(Document value, std::uint64_t count) const;

  const ProgramTypes& program_;
  opening::OpenPool& pool_;
  const std::uint64_t max_elements_;
  std::vector<Object> pointees_;
};

}  // namespace perdure::tools

#endif
