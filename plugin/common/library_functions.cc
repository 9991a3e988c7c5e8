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
#define PERDURE_AS_IT_IS(symbol) symbol,
#include "common/symbols.def"
#define PERDURE_PLAIN_EXCEPTION(library, name, type) "_ZNK" #name "4whatEv",
#include "abi/exceptions.def"
};

constexpr StringLiteral instrumentation_prefixes[] = {
#define PERDURE_INSTRUMENTATION(prefix) prefix,
#include "common/symbols.def"
};

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
