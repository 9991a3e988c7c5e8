// Clones of std::sort for arrays of arithmetic types, which libc++ keeps in its shared object. Compiled with the
// plugin.
#include <algorithm>

namespace perdure::provided {
namespace {

/// With a comparison of its own, std::sort is compiled from the header.
template <class T>
void sort(T* first, T* last) {
  std::sort(first, last, [](const T& left, const T& right) { return left < right; });
}

}  // namespace

// A macro because symbols are literals, and letters in them name the type.
#define PERDURE_SORT(letter, type)                                                                       \
  [[perdure::implements("_ZNSt3__16__sortIRNS_6__lessI" letter letter "EEP" letter "EEvT0_S5_T_")]] void \
  sort_elements(type* first, type* last, std::__less<type>&) {                                           \
    sort(first, last);                                                                                   \
  }

PERDURE_SORT("a", signed char)
PERDURE_SORT("c", char)
PERDURE_SORT("d", double)
PERDURE_SORT("e", long double)
PERDURE_SORT("f", float)
PERDURE_SORT("h", unsigned char)
PERDURE_SORT("i", int)
PERDURE_SORT("j", unsigned)
PERDURE_SORT("l", long)
PERDURE_SORT("m", unsigned long)
PERDURE_SORT("s", short)
PERDURE_SORT("t", unsigned short)
PERDURE_SORT("w", wchar_t)
PERDURE_SORT("x", long long)
PERDURE_SORT("y", unsigned long long)

}  // namespace perdure::provided
