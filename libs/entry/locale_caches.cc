#include "entry/locale_caches.h"

#ifdef __GLIBCXX__
#include <iomanip>
#include <sstream>
#endif

namespace perdure::entry {

#ifdef __GLIBCXX__
namespace {

template <class Char>
void format_everything(const std::locale& locale) {
  std::basic_ostringstream<Char> stream;
  stream.imbue(locale);
  stream << 1L << std::put_money(1.0L, /*intl=*/false) << std::put_money(1.0L, /*intl=*/true);
}

}  // namespace

void add_caches(const std::locale& locale) {
  // A copy, so that no other locale comes to lie where this one does.
  thread_local std::locale last = std::locale::classic();
  if (locale == last || locale == std::locale::classic()) return;
  format_everything<char>(locale);
  format_everything<wchar_t>(locale);
  last = locale;
}
#else
void add_caches(const std::locale&) {}
#endif

}  // namespace perdure::entry
