// Clones of what makes, copies, assigns and destroys locales, which are one counted pointer (libs/abi/provided.def). A
// locale may lie anywhere: the pointer is read and written like any other variable. The count goes up at once, which an
// abort does not undo: what is counted lives longer than it must. It goes down when the transaction has committed.
#include <cstdint>
#include <cstring>
#include <locale>
#include <new>

#include "abi/entry_points.h"
#include "entry/allocation.h"
#include "entry/private_calls.h"
#include "perdure/c.h"

namespace {

static_assert(sizeof(std::locale) == sizeof(std::uint64_t));

std::uint64_t word_of(const std::locale& locale) {
  std::uint64_t word = 0;
  std::memcpy(&word, static_cast<const void*>(&locale), sizeof word);
  return word;
}

std::uint64_t read(const void* locale) { return perdure_read_u64(static_cast<const std::uint64_t*>(locale)); }
void write(void* locale, std::uint64_t word) { perdure_write_u64(static_cast<std::uint64_t*>(locale), word); }

/// As much memory as a locale, without its destructor.
union Place {
  explicit Place(std::uint64_t word) : word(word) {}
  ~Place() {}
  std::uint64_t word;
  std::locale locale;
};

/// \returns the word of a locale that counts once more.
std::uint64_t counted(std::uint64_t word) {
  const Place original(word);
  Place copy(0);
  new (&copy.locale) std::locale(original.locale);
  return copy.word;
}

/// Those of "C" are counted by nobody, or never freed.
bool is_classic(std::uint64_t word) { return word == word_of(std::locale::classic()); }

void drop_later(std::uint64_t word) {
  if (is_classic(word)) return;
  perdure_on_commit(
      [](void* dropped) {
        Place place(reinterpret_cast<std::uint64_t>(dropped));
        place.locale.~locale();
      },
      reinterpret_cast<void*>(word));
}

}  // namespace

#ifdef _LIBCPP_VERSION
#define PERDURE_LOCALE(member) perdure_tm__ZNSt3__16locale##member
#define PERDURE_OTHER(member) PERDURE_LOCALE(member##RKS0_)
#else
#define PERDURE_LOCALE(member) perdure_tm__ZNSt6locale##member
#define PERDURE_OTHER(member) PERDURE_LOCALE(member##RKS_)
#endif

extern "C" {

void PERDURE_LOCALE(C1Ev)(void* locale) {
  Place global(0);
  new (&global.locale) std::locale;
  write(locale, global.word);
}
void PERDURE_LOCALE(C2Ev)(void* locale) { PERDURE_LOCALE(C1Ev)(locale); }

void PERDURE_OTHER(C1E)(void* locale, const void* other) { write(locale, counted(read(other))); }
void PERDURE_OTHER(C2E)(void* locale, const void* other) { PERDURE_OTHER(C1E)(locale, other); }

void* PERDURE_OTHER(aSE)(void* locale, const void* other) {
  const std::uint64_t word = counted(read(other));
  drop_later(read(locale));
  write(locale, word);
  return locale;
}

void PERDURE_LOCALE(D1Ev)(void* locale) { drop_later(read(locale)); }
void PERDURE_LOCALE(D2Ev)(void* locale) { drop_later(read(locale)); }

}  // extern "C"
