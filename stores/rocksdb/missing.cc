#include "missing.h"

#include <cstdio>
#include <cstdlib>

#include "error.h"

namespace perdure::stores::rocksdb {

void not_supported(const char* function, char** errptr) {
  report(leveldb::Status::NotSupported(function, "Perdure's store has no such function"), errptr);
}

void missing(const char* function) {
  std::fprintf(stderr, "%s: Perdure's store has no such function\n", function);
  std::abort();
}

}  // namespace perdure::stores::rocksdb
