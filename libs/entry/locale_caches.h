#ifndef PERDURE_ENTRY_LOCALE_CACHES_H
#define PERDURE_ENTRY_LOCALE_CACHES_H

#include <locale>

namespace perdure::entry {

/// libstdc++ adds to a locale what it has worked out of its facets, when a stream or a facet first formats with it. The
/// locale is shared, so that must not be memory which an abort frees. To be called before a private call uses the
/// locale, while none runs. Cheap when the thread has named the same locale last, and for "C", whose caches are static.
/// \throws what the facets of the program throw, and std::bad_alloc.
void add_caches(const std::locale& locale);

}  // namespace perdure::entry

#endif
