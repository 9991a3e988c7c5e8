// Clones of the constructors of the standard exceptions, which live in the shared object of libstdc++
// (libs/abi/provided.def). The text may be in shared memory, so it is read by the transaction; the exception itself is
// private to the thread.
#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>

#include "abi/allocation.h"
#include "abi/entry_points.h"

extern "C" std::size_t perdure_tm_strlen(const char* string);

namespace {

using perdure::abi::transactional_allocate;
using perdure::abi::transactional_free;

/// A copy of shared text, as long as it lives. In a block of the transaction, because reading may abort it: what is
/// left behind then is freed with everything else that it allocated.
class TextCopy {
 public:
  TextCopy(const char* text, std::size_t size) : copy_(static_cast<char*>(transactional_allocate(size + 1, 1))) {
    if (copy_ == nullptr) throw std::bad_alloc();
    perdure_read_bytes(copy_, text, size);
    copy_[size] = '\0';
  }
  TextCopy(const TextCopy&) = delete;
  TextCopy& operator=(const TextCopy&) = delete;
  ~TextCopy() { transactional_free(copy_); }

  const char* text() const { return copy_; }

 private:
  char* copy_;
};

/// libstdc++'s std::string begins with the address of its characters and their number.
struct StringHead {
  void* characters;
  std::uint64_t size;
};

template <class Exception>
void construct(void* object, const char* text) {
  new (object) Exception(TextCopy(text, perdure_tm_strlen(text)).text());
}

template <class Exception>
void construct(void* object, const std::string* text) {
  const auto* const head = reinterpret_cast<const StringHead*>(text);
  const auto* const characters = static_cast<const char*>(perdure_read_ptr(&head->characters));
  new (object) Exception(TextCopy(characters, perdure_read_u64(&head->size)).text());
}

}  // namespace

extern "C" {

void perdure_tm__ZNSt11logic_errorC1EPKc(void* object, const char* text) { construct<std::logic_error>(object, text); }
void perdure_tm__ZNSt11logic_errorC2EPKc(void* object, const char* text) { construct<std::logic_error>(object, text); }
void perdure_tm__ZNSt11logic_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void* object,
                                                                                            const std::string* text) {
  construct<std::logic_error>(object, text);
}
void perdure_tm__ZNSt11logic_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void* object,
                                                                                            const std::string* text) {
  construct<std::logic_error>(object, text);
}

void perdure_tm__ZNSt16invalid_argumentC1EPKc(void* object, const char* text) {
  construct<std::invalid_argument>(object, text);
}
void perdure_tm__ZNSt16invalid_argumentC2EPKc(void* object, const char* text) {
  construct<std::invalid_argument>(object, text);
}
void perdure_tm__ZNSt16invalid_argumentC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    void* object, const std::string* text) {
  construct<std::invalid_argument>(object, text);
}
void perdure_tm__ZNSt16invalid_argumentC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(
    void* object, const std::string* text) {
  construct<std::invalid_argument>(object, text);
}

void perdure_tm__ZNSt12length_errorC1EPKc(void* object, const char* text) {
  construct<std::length_error>(object, text);
}
void perdure_tm__ZNSt12length_errorC2EPKc(void* object, const char* text) {
  construct<std::length_error>(object, text);
}
void perdure_tm__ZNSt12length_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void* object,
                                                                                             const std::string* text) {
  construct<std::length_error>(object, text);
}
void perdure_tm__ZNSt12length_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void* object,
                                                                                             const std::string* text) {
  construct<std::length_error>(object, text);
}

void perdure_tm__ZNSt12out_of_rangeC1EPKc(void* object, const char* text) {
  construct<std::out_of_range>(object, text);
}
void perdure_tm__ZNSt12out_of_rangeC2EPKc(void* object, const char* text) {
  construct<std::out_of_range>(object, text);
}
void perdure_tm__ZNSt12out_of_rangeC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void* object,
                                                                                             const std::string* text) {
  construct<std::out_of_range>(object, text);
}
void perdure_tm__ZNSt12out_of_rangeC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void* object,
                                                                                             const std::string* text) {
  construct<std::out_of_range>(object, text);
}

void perdure_tm__ZNSt13runtime_errorC1EPKc(void* object, const char* text) {
  construct<std::runtime_error>(object, text);
}
void perdure_tm__ZNSt13runtime_errorC2EPKc(void* object, const char* text) {
  construct<std::runtime_error>(object, text);
}
void perdure_tm__ZNSt13runtime_errorC1ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void* object,
                                                                                              const std::string* text) {
  construct<std::runtime_error>(object, text);
}
void perdure_tm__ZNSt13runtime_errorC2ERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE(void* object,
                                                                                              const std::string* text) {
  construct<std::runtime_error>(object, text);
}

}  // extern "C"
