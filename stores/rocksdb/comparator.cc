#include "comparator.h"

#include <rocksdb/c.h>

extern "C" {

rocksdb_comparator_t* rocksdb_comparator_create(void* state, void (*destructor)(void*),
                                                int (*compare)(void*, const char* a, size_t alen, const char* b,
                                                               size_t blen),
                                                const char* (*name)(void*)) {
  return new rocksdb_comparator_t{state, destructor, compare, name};
}

void rocksdb_comparator_destroy(rocksdb_comparator_t* comparator) {
  comparator->destructor(comparator->state);
  delete comparator;
}

}  // extern "C"
