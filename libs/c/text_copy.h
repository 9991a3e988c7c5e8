#ifndef PERDURE_C_TEXT_COPY_H
#define PERDURE_C_TEXT_COPY_H

#include <cstddef>
#include <new>

#include "abi/entry_points.h"
#include "alloc/next_layout.h"
#include "entry/allocation.h"

namespace perdure::c {

/// A copy of text in shared memory, for a function that is not part of the transaction; as long as it lives. In a block
/// of the transaction, because reading may abort it: what is left behind then is freed with everything else that it
/// allocated. Written directly, so not to be used in code that the plugin instruments.
class TextCopy {
 public:
  TextCopy(const char* text, std::size_t size) {
    alloc::set_next_layout(&alloc::no_pointers);
    copy_ = static_cast<char*>(entry::transactional_allocate(size + 1, 1));
    if (copy_ == nullptr) throw std::bad_alloc();
    perdure_read_bytes(copy_, text, size);
    copy_[size] = '\0';
  }
  TextCopy(const TextCopy&) = delete;
  TextCopy& operator=(const TextCopy&) = delete;
  ~TextCopy() { entry::transactional_free(copy_); }

  const char* text() const { return copy_; }

 private:
  char* copy_;
};

}  // namespace perdure::c

#endif
