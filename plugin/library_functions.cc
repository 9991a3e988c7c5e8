#include "library_functions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringSet.h>

#include <string>

namespace perdure::plugin {

using namespace llvm;

namespace {

// Each also with the suffixes f and l. The only memory they touch is errno.
constexpr StringLiteral mathematics[] = {
    "acos",     "acosh",     "asin",      "asinh", "atan",      "atan2", "atanh",  "cbrt",      "ceil",
    "copysign", "cos",       "cosh",      "erf",   "erfc",      "exp",   "exp2",   "expm1",     "fabs",
    "fdim",     "floor",     "fma",       "fmax",  "fmin",      "fmod",  "hypot",  "ilogb",     "ldexp",
    "lgamma",   "llrint",    "llround",   "log",   "log10",     "log1p", "log2",   "logb",      "lrint",
    "lround",   "nearbyint", "nextafter", "pow",   "remainder", "rint",  "round",  "roundeven", "scalbln",
    "scalbn",   "sin",       "sinh",      "sqrt",  "tan",       "tanh",  "tgamma", "trunc",
};

// Likewise.
constexpr StringLiteral mathematics_of_complex_numbers[] = {
    "cabs", "cacos", "cacosh", "carg",  "casin", "casinh", "catan", "catanh", "ccos",  "ccosh",
    "cexp", "clog",  "cpow",   "cproj", "csin",  "csinh",  "csqrt", "ctan",   "ctanh",
};

constexpr StringLiteral others[] = {
    // Values in, value out.
    "abs",
    "labs",
    "llabs",
    "isalnum",
    "isalpha",
    "isblank",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "tolower",
    "toupper",
    "__errno_location",
    "__mulsc3",  // products and quotients of complex numbers
    "__muldc3",
    "__mulxc3",
    "__multc3",
    "__divsc3",
    "__divdc3",
    "__divxc3",
    "__divtc3",
    "_ZNSt3__112__next_primeEm",             // libc++: sizes of hash tables
    "_ZNSt6chrono3_V212steady_clock3nowEv",  // libstdc++: clocks
    "_ZNSt6chrono3_V212system_clock3nowEv",
    "_ZNSt3__16chrono12steady_clock3nowEv",  // libc++: clocks
    "_ZNSt3__16chrono12system_clock3nowEv",

    // The exception in flight belongs to the thread and is not rolled back.
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_begin_catch",
    "__cxa_end_catch",
    "__cxa_get_exception_ptr",
    "_Unwind_Resume",
    "__cxa_bad_cast",
    "__cxa_bad_typeid",
    "__cxa_throw_bad_array_new_length",
    "_ZSt18uncaught_exceptionv",
    "_ZSt19uncaught_exceptionsv",
    "_ZNSt9exceptionD2Ev",
    "_ZNSt9exceptionD1Ev",
    "_ZNSt20bad_array_new_lengthC1Ev",
    "_ZNSt20bad_array_new_lengthC2Ev",
    "_ZNSt9bad_allocC1Ev",
    "_ZNSt9bad_allocC2Ev",
    "_ZNSt9bad_allocD1Ev",
    "_ZNSt20bad_array_new_lengthD1Ev",

    // libstdc++: throw an exception with a text that is part of the program.
    "_ZSt16__throw_bad_castv",
    "_ZSt17__throw_bad_allocv",
    "_ZSt18__throw_bad_typeidv",
    "_ZSt19__throw_logic_errorPKc",
    "_ZSt19__throw_range_errorPKc",
    "_ZSt20__throw_domain_errorPKc",
    "_ZSt20__throw_length_errorPKc",
    "_ZSt20__throw_out_of_rangePKc",
    "_ZSt20__throw_system_errori",
    "_ZSt21__throw_bad_exceptionv",
    "_ZSt21__throw_runtime_errorPKc",
    "_ZSt22__throw_overflow_errorPKc",
    "_ZSt23__throw_underflow_errorPKc",
    "_ZSt24__throw_invalid_argumentPKc",
    "_ZSt24__throw_out_of_range_fmtPKcz",
    "_ZSt25__throw_bad_function_callv",
    "_ZSt28__throw_bad_array_new_lengthv",

    // Constructors with a text, which is read as it is unless the runtime provides them: in throw helpers of libc++ it
    // is
    // part of the program.
    "_ZNSt11logic_errorC1EPKc",
    "_ZNSt11logic_errorC2EPKc",
    "_ZNSt13runtime_errorC1EPKc",
    "_ZNSt13runtime_errorC2EPKc",
    "_ZNSt12length_errorC1EPKc",
    "_ZNSt12length_errorC2EPKc",
    "_ZNSt12out_of_rangeC1EPKc",
    "_ZNSt12out_of_rangeC2EPKc",
    "_ZNSt16invalid_argumentC1EPKc",
    "_ZNSt16invalid_argumentC2EPKc",

    // Their counterpart __cxa_guard_acquire is refused where the initialisation was not taken out.
    "__cxa_guard_release",
    "__cxa_guard_abort",

    // They do not return.
    "abort",
    "__assert_fail",
    "_ZSt9terminatev",
    "__clang_call_terminate",
    "__cxa_pure_virtual",
    "__cxa_deleted_virtual",
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",
    "_ZNSt3__122__libcpp_verbose_abortEPKcz",
};

// What sanitizers and coverage insert.
constexpr StringLiteral instrumentation_prefixes[] = {"__ubsan_handle_", "__asan_",      "__tsan_",
                                                      "__msan_",         "__sanitizer_", "__llvm_profile_"};

StringSet<> make_table() {
  StringSet<> table;
  for (const StringRef name : others) table.insert(name);
  for (const StringRef name : concat<const StringLiteral>(mathematics, mathematics_of_complex_numbers))
    for (const StringRef suffix : {"", "f", "l"}) table.insert(name.str() + suffix.str());
  return table;
}

}  // namespace

bool is_callable_as_is(StringRef symbol) {
  static const StringSet<> table = make_table();
  return table.contains(symbol) ||
         any_of(instrumentation_prefixes, [&](StringRef prefix) { return symbol.starts_with(prefix); });
}

bool only_reads_arguments(StringRef symbol) {
  static const StringSet<> readers = {"memcmp", "bcmp", "memchr", "strlen", "strcmp", "strncmp"};
  return readers.contains(symbol);
}

}  // namespace perdure::plugin
