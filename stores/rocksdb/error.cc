#include "error.h"

#include <cstdlib>
#include <cstring>
#include <string>

namespace perdure::stores::rocksdb {

bool report(const leveldb::Status& status, char** errptr) {
  if (status.ok()) return true;
  std::free(*errptr);
  *errptr = text_for_program(status.ToString());
  return false;
}

char* copy_for_program(std::string_view bytes) {
  // Of nothing, too: null would say that there is no value.
  auto* const copy = static_cast<char*>(std::malloc(bytes.size() + 1));
  if (copy != nullptr && !bytes.empty()) std::memcpy(copy, bytes.data(), bytes.size());
  return copy;
}

char* text_for_program(std::string_view text) {
  char* const copy = copy_for_program(text);
  if (copy != nullptr) copy[text.size()] = '\0';
  return copy;
}

}  // namespace perdure::stores::rocksdb
