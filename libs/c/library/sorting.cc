// Clones of the functions of C that sort and search arrays (libs/abi/c_library.def). The function that compares is
// called as any function is that a transaction calls through a pointer.
#include <search.h>
#include <stdlib.h>

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "abi/entry_points.h"
#include "c/library/callbacks.h"
#include "c/library/private_memory.h"

namespace {

using namespace perdure::c;

const std::byte* element(const void* base, std::size_t size, std::size_t index) {
  return static_cast<const std::byte*>(base) + index * size;
}

/// Sorts a copy, by merging, so that equal elements stay in order, as with glibc; and writes what has moved.
template <class Compare>
void sort(void* base, std::size_t count, std::size_t size, Compare&& compare) {
  if (count < 2 || size == 0) return;
  PrivateMemory memory;
  const std::byte* const copy = memory.copy(static_cast<const std::byte*>(base), count * size);
  auto* from = memory.room_for<std::size_t>(count);
  auto* to = memory.room_for<std::size_t>(count);
  std::iota(from, from + count, std::size_t{0});
  const auto is_less = [&](std::size_t a, std::size_t b) {
    return compare(element(copy, size, a), element(copy, size, b)) < 0;
  };
  for (std::size_t width = 1; width < count; width *= 2) {
    for (std::size_t begin = 0; begin < count; begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, count);
      const std::size_t end = std::min(begin + 2 * width, count);
      std::merge(from + begin, from + middle, from + middle, from + end, to + begin, is_less);
    }
    std::swap(from, to);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (from[i] != i)
      perdure_write_bytes(const_cast<std::byte*>(element(base, size, i)), element(copy, size, from[i]), size);
}

using Compare = int (*)(const void*, const void*);

void* find_linearly(const void* key, const void* base, std::size_t count, std::size_t size, Compare compare) {
  const Compare clone = clone_of(compare, "lfind");
  for (std::size_t i = 0; i < count; ++i)
    if (clone(key, element(base, size, i)) == 0) return const_cast<std::byte*>(element(base, size, i));
  return nullptr;
}

}  // namespace

extern "C" {

void perdure_tm_qsort(void* base, std::size_t count, std::size_t size, Compare compare) {
  sort(base, count, size, clone_of(compare, "qsort"));
}

void perdure_tm_qsort_r(void* base, std::size_t count, std::size_t size,
                        int (*compare)(const void*, const void*, void*), void* context) {
  sort(base, count, size,
       [clone = clone_of(compare, "qsort_r"), context](const void* a, const void* b) { return clone(a, b, context); });
}

void* perdure_tm_bsearch(const void* key, const void* base, std::size_t count, std::size_t size, Compare compare) {
  const Compare clone = clone_of(compare, "bsearch");
  for (std::size_t begin = 0, end = count; begin < end;) {
    const std::size_t middle = begin + (end - begin) / 2;
    const std::byte* const candidate = element(base, size, middle);
    const int order = clone(key, candidate);
    if (order == 0) return const_cast<std::byte*>(candidate);
    if (order < 0)
      end = middle;
    else
      begin = middle + 1;
  }
  return nullptr;
}

void* perdure_tm_lfind(const void* key, const void* base, std::size_t* count, std::size_t size, Compare compare) {
  return find_linearly(key, base, read_variable(count), size, compare);
}

void* perdure_tm_lsearch(const void* key, void* base, std::size_t* count, std::size_t size, Compare compare) {
  const std::size_t before = read_variable(count);
  if (void* const found = find_linearly(key, base, before, size, compare)) return found;
  void* const added = const_cast<std::byte*>(element(base, size, before));
  perdure_memcpy(added, key, size);
  write_variable(count, before + 1);
  return added;
}

}  // extern "C"
