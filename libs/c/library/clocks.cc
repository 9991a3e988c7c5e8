// Clones of the functions of C that read clocks, and between times and texts (libs/abi/c_library.def). The C library is
// called on copies.
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <wchar.h>

#include <algorithm>
#include <cstddef>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"
#include "c/library/thread_results.h"

namespace {

using namespace perdure::c;

/// gmtime_r and localtime_r.
template <class Convert>
tm* broken_down(const time_t* time, tm* to, Convert&& convert) {
  const time_t copy = read_variable(time);
  const tm* const result =
      writing(to, [&](tm* broken) { return convert(&copy, broken); }, [](const tm* done) { return done == nullptr; });
  return result == nullptr ? nullptr : to;
}

/// A copy that the C library may follow pointers of.
tm* copy_time(PrivateMemory& memory, const tm* time) {
  tm* const copy = memory.copy(time, 1);
  copy->tm_zone = copy_text(memory, copy->tm_zone);
  return copy;
}

/// mktime and timegm: also put the date right. The name of the zone is the C library's.
template <class Convert>
time_t calendar_time(tm* time, Convert&& convert) {
  return updating(time, convert);
}

char* text_of(const tm* time, char* to) {
  PrivateMemory memory;
  char text[64];
  const tm* const copy = copy_time(memory, time);
  // What the transaction called. NOLINTNEXTLINE(bugprone-unsafe-functions)
  if (setting_errno([&] { return asctime_r(copy, text); }) == nullptr) return nullptr;
  perdure_write_bytes(to, text, length_of(text) + 1);
  return to;
}

/// strftime and the others: `print(to, size, format, time)`.
template <class Character, class Print>
std::size_t print_time(Character* to, std::size_t size, const Character* format, const tm* time, Print&& print) {
  PrivateMemory memory;
  const Character* const format_copy = copy_text(memory, format);
  const tm* const copy = copy_time(memory, time);
  // Nothing says how long the text is; an empty one and one that is too long have the same result.
  constexpr std::size_t first_size = 100;
  for (std::size_t room = std::min(size, first_size);; room = room > size / 4 ? size : room * 4) {
    auto* const text = memory.room_for<Character>(room + 1);
    text[0] = Character{};
    const std::size_t length = setting_errno([&] { return print(text, room, format_copy, copy); });
    const bool is_certain = length > 0 || format_copy[0] == Character{} || room == size || room > (1U << 20);
    if (!is_certain) continue;
    if (size > 0 && (length > 0 || text[0] == Character{}))
      perdure_write_bytes(to, text, (length + 1) * sizeof(Character));
    return length;
  }
}

template <class Out, class Function>
int read_clock(Out* to, Function&& function) {
  return writing_if_zero(to, function);
}

}  // namespace

extern "C" {

time_t perdure_tm_time(time_t* to) {
  const time_t now = time(nullptr);
  write_variable(to, now);
  return now;
}
int perdure_tm_clock_gettime(clockid_t clock, timespec* to) {
  return read_clock(to, [=](timespec* now) { return clock_gettime(clock, now); });
}
int perdure_tm_clock_getres(clockid_t clock, timespec* to) {
  return read_clock(to, [=](timespec* resolution) { return clock_getres(clock, resolution); });
}
int perdure_tm_gettimeofday(timeval* to, void*) {
  return read_clock(to, [](timeval* now) { return gettimeofday(now, nullptr); });
}
int perdure_tm_getrusage(__rusage_who_t who, rusage* to) {
  return read_clock(to, [=](rusage* used) { return getrusage(who, used); });
}
clock_t perdure_tm_times(tms* to) {
  return writing(to, times, [](clock_t result) { return result == static_cast<clock_t>(-1); });
}
int perdure_tm_timespec_get(timespec* to, int base) {
  return writing(to, [=](timespec* now) { return timespec_get(now, base); }, [](int result) { return result == 0; });
}
int perdure_tm_timespec_getres(timespec* to, int base) {
  return writing(to, [=](timespec* now) { return timespec_getres(now, base); }, [](int result) { return result == 0; });
}

tm* perdure_tm_gmtime_r(const time_t* time, tm* to) { return broken_down(time, to, gmtime_r); }
tm* perdure_tm_localtime_r(const time_t* time, tm* to) { return broken_down(time, to, localtime_r); }
tm* perdure_tm_gmtime(const time_t* time) { return perdure_tm_gmtime_r(time, &thread_results().broken_down_time); }
tm* perdure_tm_localtime(const time_t* time) {
  tzset();  // as localtime does; localtime_r need not
  return perdure_tm_localtime_r(time, &thread_results().broken_down_time);
}
time_t perdure_tm_mktime(tm* time) { return calendar_time(time, mktime); }
time_t perdure_tm_timegm(tm* time) { return calendar_time(time, timegm); }
time_t perdure_tm_timelocal(tm* time) { return calendar_time(time, mktime); }

char* perdure_tm_asctime_r(const tm* time, char* to) { return text_of(time, to); }
char* perdure_tm_asctime(const tm* time) { return text_of(time, thread_results().time.data()); }
char* perdure_tm_ctime_r(const time_t* time, char* to) {
  tm broken;
  return perdure_tm_localtime_r(time, &broken) == nullptr ? nullptr : text_of(&broken, to);
}
char* perdure_tm_ctime(const time_t* time) {
  tzset();
  return perdure_tm_ctime_r(time, thread_results().time.data());
}

std::size_t perdure_tm_strftime(char* to, std::size_t size, const char* format, const tm* time) {
  return print_time(to, size, format, time, strftime);
}
std::size_t perdure_tm_strftime_l(char* to, std::size_t size, const char* format, const tm* time, locale_t locale) {
  return print_time(to, size, format, time, [locale](char* text, std::size_t room, const char* of, const tm* at) {
    return strftime_l(text, room, of, at, locale);
  });
}
std::size_t perdure_tm_wcsftime(wchar_t* to, std::size_t size, const wchar_t* format, const tm* time) {
  return print_time(to, size, format, time, wcsftime);
}
char* perdure_tm_strptime(const char* text, const char* format, tm* time) {
  PrivateMemory memory;
  const char* const copy = copy_text(memory, text);
  const char* const format_copy = copy_text(memory, format);
  const char* const end = updating(time, [&](tm* read) { return strptime(copy, format_copy, read); });
  return end == nullptr ? nullptr : const_cast<char*>(text) + (end - copy);
}

}  // extern "C"
