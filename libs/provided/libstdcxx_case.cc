// Clones of the functions that change the case of a range of characters in place: one after the other, each by the
// facet. Compiled with the plugin.
#include <locale>

namespace perdure::provided {

#define PERDURE_CASE(symbol, Char, name, change)                                  \
  [[perdure::implements(symbol)]]                                                 \
  const Char* name(const std::ctype<Char>* facet, Char* begin, const Char* end) { \
    for (; begin < end; ++begin) *begin = facet->change(*begin);                  \
    return end;                                                                   \
  }
PERDURE_CASE("_ZNKSt5ctypeIcE7tolowerEPcPKc", char, lower_text, tolower)
PERDURE_CASE("_ZNKSt5ctypeIcE7toupperEPcPKc", char, upper_text, toupper)
PERDURE_CASE("_ZNKSt5ctypeIwE7tolowerEPwPKw", wchar_t, lower_wide_text, tolower)
PERDURE_CASE("_ZNKSt5ctypeIwE7toupperEPwPKw", wchar_t, upper_wide_text, toupper)
#undef PERDURE_CASE

}  // namespace perdure::provided
