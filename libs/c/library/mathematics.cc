// Clones of the functions of <math.h> and <fenv.h> that read or write memory (libs/abi/c_library.def). The C library is
// called on copies.
#include <fenv.h>
#include <math.h>

#include <cstdint>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"

namespace {

using namespace perdure::c;

/// FE_DFL_ENV and the like are no places in memory.
template <class Environment, class Function>
int with_environment(const Environment* environment, Function&& function) {
  constexpr std::uintptr_t special = 4096;
  if (reinterpret_cast<std::uintptr_t>(environment) > UINTPTR_MAX - special) return function(environment);
  const Environment copy = read_variable(environment);
  return function(&copy);
}

template <class Parse>
auto parse_text(const char* text, Parse&& parse) {
  PrivateMemory memory;
  return parse(copy_text(memory, text));
}

}  // namespace

extern "C" {

double perdure_tm_nan(const char* text) { return parse_text(text, nan); }
float perdure_tm_nanf(const char* text) { return parse_text(text, nanf); }
long double perdure_tm_nanl(const char* text) { return parse_text(text, nanl); }

// Each for the three types of <math.h>, which C tells by a suffix.
#define PERDURE_MATHEMATICS(type, suffix)                                                          \
  type perdure_tm_frexp##suffix(type value, int* exponent) {                                       \
    return writing(exponent, [=](int* to) { return frexp##suffix(value, to); });                   \
  }                                                                                                \
  type perdure_tm_modf##suffix(type value, type* whole) {                                          \
    return writing(whole, [=](type* to) { return modf##suffix(value, to); });                      \
  }                                                                                                \
  type perdure_tm_remquo##suffix(type value, type divisor, int* quotient) {                        \
    return writing(quotient, [=](int* to) { return remquo##suffix(value, divisor, to); });         \
  }                                                                                                \
  type perdure_tm_lgamma##suffix##_r(type value, int* sign) {                                      \
    return writing(sign, [=](int* to) { return lgamma##suffix##_r(value, to); });                  \
  }                                                                                                \
  void perdure_tm_sincos##suffix(type value, type* sine, type* cosine) {                           \
    write_variable(sine, sin##suffix(value));                                                      \
    write_variable(cosine, cos##suffix(value));                                                    \
  }                                                                                                \
  int perdure_tm_canonicalize##suffix(type* to, const type* from) {                                \
    const type copy = read_variable(from);                                                         \
    return writing_if_zero(to, [&](type* result) { return canonicalize##suffix(result, &copy); }); \
  }                                                                                                \
  int perdure_tm_totalorder##suffix(const type* left, const type* right) {                         \
    const type a = read_variable(left), b = read_variable(right);                                  \
    return totalorder##suffix(&a, &b);                                                             \
  }                                                                                                \
  int perdure_tm_totalordermag##suffix(const type* left, const type* right) {                      \
    const type a = read_variable(left), b = read_variable(right);                                  \
    return totalordermag##suffix(&a, &b);                                                          \
  }                                                                                                \
  type perdure_tm_getpayload##suffix(const type* from) {                                           \
    const type copy = read_variable(from);                                                         \
    return getpayload##suffix(&copy);                                                              \
  }                                                                                                \
  int perdure_tm_setpayload##suffix(type* to, type payload) {                                      \
    return updating(to, [=](type* result) { return setpayload##suffix(result, payload); });        \
  }                                                                                                \
  int perdure_tm_setpayloadsig##suffix(type* to, type payload) {                                   \
    return updating(to, [=](type* result) { return setpayloadsig##suffix(result, payload); });     \
  }
PERDURE_MATHEMATICS(double, )
PERDURE_MATHEMATICS(float, f)
PERDURE_MATHEMATICS(long double, l)

int perdure_tm_fegetenv(fenv_t* to) { return writing_if_zero(to, fegetenv); }
int perdure_tm_feholdexcept(fenv_t* to) { return writing_if_zero(to, feholdexcept); }
int perdure_tm_fesetenv(const fenv_t* from) { return with_environment(from, fesetenv); }
int perdure_tm_feupdateenv(const fenv_t* from) { return with_environment(from, feupdateenv); }
int perdure_tm_fegetmode(femode_t* to) { return writing_if_zero(to, fegetmode); }
int perdure_tm_fesetmode(const femode_t* from) { return with_environment(from, fesetmode); }
int perdure_tm_fegetexceptflag(fexcept_t* to, int exceptions) {
  return writing_if_zero(to, [=](fexcept_t* flags) { return fegetexceptflag(flags, exceptions); });
}
int perdure_tm_fesetexceptflag(const fexcept_t* from, int exceptions) {
  const fexcept_t copy = read_variable(from);
  return fesetexceptflag(&copy, exceptions);
}
int perdure_tm_fetestexceptflag(const fexcept_t* from, int exceptions) {
  const fexcept_t copy = read_variable(from);
  return fetestexceptflag(&copy, exceptions);
}

}  // extern "C"
