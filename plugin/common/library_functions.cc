#include "common/library_functions.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/Analysis/TargetLibraryInfo.h>
#include <llvm/TargetParser/Triple.h>

#include <initializer_list>
#include <string>

namespace perdure::plugin {

using namespace llvm;

namespace {

// Functions of C++, and what compilers call for it. Those of C are in libs/abi/c_library.def.
constexpr StringLiteral others[] = {
    // Values in, value out.
    "_ZNSt3__112__next_primeEm",             // libc++: sizes of hash tables
    "_ZNSt6chrono3_V212steady_clock3nowEv",  // libstdc++: clocks
    "_ZNSt6chrono3_V212system_clock3nowEv",
    "_ZNSt3__16chrono12steady_clock3nowEv",  // libc++: clocks
    "_ZNSt3__16chrono12system_clock3nowEv",

    // Objects that the C++ libraries keep, and that do not change (or, the defaults, by one store).
    "_ZNSt3pmr19new_delete_resourceEv",
    "_ZNSt3pmr20null_memory_resourceEv",
    "_ZNSt3pmr20get_default_resourceEv",
    "_ZNSt3__13pmr19new_delete_resourceEv",
    "_ZNSt3__13pmr20null_memory_resourceEv",
    "_ZNSt3__13pmr20get_default_resourceEv",
    "_ZNSt6locale7classicEv",
    "_ZNSt3__16locale7classicEv",
    "_ZNKSt6locale2id5_M_idEv",
    "_ZNSt3__16locale2id5__getEv",

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
#define PERDURE_PLAIN_EXCEPTION(library, name, type) "_ZNK" #name "4whatEv",
#include "abi/exceptions.def"

    // Pointers to exceptions, by value.
    "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
    "_ZSt17rethrow_exceptionSt13exception_ptr",
    "__cxa_init_primary_exception",
    "_ZNSt13exception_ptr31__from_native_exception_pointerEPv",
    "_ZSt19__throw_regex_errorNSt15regex_constants10error_typeE",
    "_ZSt19__throw_regex_errorNSt15regex_constants10error_typeEPKc",
    "_ZNSt3__120__throw_system_errorEiPKc",

    // The standard error categories, which are constants.
    "_ZNSt3_V216generic_categoryEv",
    "_ZNSt3_V215system_categoryEv",
    "_ZNSt3__116generic_categoryEv",
    "_ZNSt3__115system_categoryEv",
    "_ZSt15future_categoryv",
    "_ZSt17iostream_categoryv",
    "_ZNSt3__115future_categoryEv",
    "_ZNSt3__117iostream_categoryEv",
    "_ZNKSt10error_code23default_error_conditionEv",

    // libstdc++: throw an exception with a text that is part of the program.
    "_ZSt16__throw_bad_castv",
    "_ZSt19__throw_ios_failurePKc",
    "_ZSt19__throw_ios_failurePKci",
    "_ZSt20__throw_future_errori",
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

    // Constructors with a text, which is read as it is unless the runtime provides them: in throw helpers of libc++ the
    // text is part of the program.
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

/// What libs/abi/c_library.def says of a function.
enum class Kind { as_is, reads, direct, provided, refused };
struct Entry {
  Kind kind;
  StringRef reason;  // of a refusal
};

class Table {
 public:
  Table() {
    StringMap<StringRef> reasons;
#define PERDURE_C_REASON(reason, text) reasons[#reason] = text;
#include "abi/c_library.def"
#define PERDURE_C_AS_IS(names) add(names, {""}, Kind::as_is);
#define PERDURE_C_REAL_AS_IS(names) add(names, {"", "f", "l"}, Kind::as_is);
#define PERDURE_C_BITS_AS_IS(names) add(names, {"uc", "us", "ui", "ul", "ull"}, Kind::as_is);
#define PERDURE_C_READS(symbol) add(#symbol, {""}, Kind::reads);
#define PERDURE_C_DIRECT(symbol) add(#symbol, {""}, Kind::direct);
#define PERDURE_C_PROVIDED(symbol) add(#symbol, {""}, Kind::provided);
#define PERDURE_C_REFUSED(reason, names) add(names, {""}, Kind::refused, reasons[#reason]);
#include "abi/c_library.def"
    for (const StringRef name : others) entries_[name] = {Kind::as_is, {}};
  }

  /// \returns null when nothing is known of the function.
  const Entry* find(StringRef symbol) const {
    const auto entry = entries_.find(symbol);
    return entry == entries_.end() ? nullptr : &entry->second;
  }

 private:
  void add(StringRef names, std::initializer_list<StringRef> suffixes, Kind kind, StringRef reason = {}) {
    SmallVector<StringRef> each;
    names.split(each, ' ', -1, /*KeepEmpty=*/false);
    for (const StringRef name : each)
      for (const StringRef suffix : suffixes) entries_[name.str() + suffix.str()] = {kind, reason};
  }

  StringMap<Entry> entries_;
};

const Entry* find(StringRef symbol) {
  static const Table table;
  return table.find(symbol);
}

bool is_of_kind(StringRef symbol, std::initializer_list<Kind> kinds) {
  const Entry* const entry = find(symbol);
  return entry != nullptr && is_contained(kinds, entry->kind);
}

}  // namespace

bool is_callable_as_is(StringRef symbol) {
  return is_of_kind(symbol, {Kind::as_is}) ||
         any_of(instrumentation_prefixes, [&](StringRef prefix) { return symbol.starts_with(prefix); });
}

bool only_reads_arguments(StringRef symbol) { return is_of_kind(symbol, {Kind::reads}); }

bool touches_only_arguments(StringRef symbol) { return is_of_kind(symbol, {Kind::reads, Kind::direct}); }

bool may_store_pointers(StringRef symbol) { return is_of_kind(symbol, {Kind::provided}); }

StringRef reason_to_refuse(StringRef symbol) {
  const Entry* const entry = find(symbol);
  return entry == nullptr ? StringRef() : entry->reason;
}

bool may_be_the_users(StringRef symbol) {
  LibFunc known;
  static const TargetLibraryInfoImpl library{Triple("x86_64-unknown-linux-gnu")};
  return find(symbol) != nullptr && !library.getLibFunc(symbol, known);
}

}  // namespace perdure::plugin
