#ifndef PERDURE_C_LIBRARY_THREAD_RESULTS_H
#define PERDURE_C_LIBRARY_THREAD_RESULTS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <cwchar>

#include <netinet/in.h>

#include "sched/of_thread.h"

namespace perdure::c {

/// Functions that keep the state of a conversion when their caller has none.
enum class StateOf : std::uint8_t {
  mbrtowc,
  mbrlen,
  mbrtoc8,
  mbrtoc16,
  mbrtoc32,
  wcrtomb,
  c8rtomb,
  c16rtomb,
  c32rtomb,
  mbsrtowcs,
  wcsrtombs,
  count
};

/// Where functions leave their results that the C library has one place for in a program: here one for each thread,
/// which is written as other variables are.
struct ThreadResults {
  std::array<char, 400> number;     ///< ecvt, fcvt
  std::array<char, 8> long_number;  ///< l64a
  tm broken_down_time;              ///< gmtime, localtime
  std::array<char, 26> time;        ///< asctime, ctime
  std::array<char, INET_ADDRSTRLEN> internet_address;
  std::array<std::mbstate_t, static_cast<std::size_t>(StateOf::count)> states;
};

/// The calling thread's, until it ends.
inline ThreadResults& thread_results() { return sched::of_thread<ThreadResults>(); }

}  // namespace perdure::c

#endif
