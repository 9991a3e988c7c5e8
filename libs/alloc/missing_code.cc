#include "alloc/missing_code.h"

#include <sys/mman.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <mutex>
#include <typeinfo>

#include "alloc/program_code.h"
#include "pool/format.h"
#include "sched/hold_during_fork.h"

#ifndef __x86_64__
#error "Code addresses in pools are written for x86-64: see also alloc/code_area.cc."
#endif

namespace perdure::alloc {
namespace {

struct Plain {};

struct AllMissing {
  std::mutex mutex;
  std::list<MissingCode> codes;
};

/// Taken while `code_mutex` is held, but not the other way round; a fork that finds it held by another thread would
/// have found that one held as well.
AllMissing& all_missing() {
  static auto* const all = new AllMissing;
  return *all;
}

[[noreturn]] void stop_without_memory() {
  std::fputs("perdure: no memory that may be executed, for what a pool names and this program lacks.\n", stderr);
  std::abort();
}

/// A function that calls `stop_at_missing_code` with its own record: `endbr64; mov $code, %rdi; mov $stop, %rax;
/// jmp *%rax`. On a page of its own, which is written before it may be executed.
void* make_function(const MissingCode& code) {
  void* const page = mmap(nullptr, pool::page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) stop_without_memory();
  std::array<std::uint8_t, 26> bytes = {0xf3, 0x0f, 0x1e, 0xfa, 0x48, 0xbf, 0, 0, 0, 0, 0, 0,    0,
                                        0,    0x48, 0xb8, 0,    0,    0,    0, 0, 0, 0, 0, 0xff, 0xe0};
  const auto argument = reinterpret_cast<std::uintptr_t>(&code);
  const auto target = reinterpret_cast<std::uintptr_t>(&stop_at_missing_code);
  std::memcpy(bytes.data() + 6, &argument, sizeof argument);
  std::memcpy(bytes.data() + 16, &target, sizeof target);
  std::memcpy(page, bytes.data(), bytes.size());
  if (mprotect(page, pool::page_bytes, PROT_READ | PROT_EXEC) != 0) stop_without_memory();
  return page;
}

/// Whether it is of what the compiler splits a coroutine into (plugin/discover/coroutines.h).
bool is_of_coroutine(std::string_view name) {
  const std::string_view symbol = name.substr(0, name.find_first_of("#@"));
  return symbol.ends_with(".resume") || symbol.ends_with(".destroy") || symbol.ends_with(".cleanup");
}

}  // namespace

const MissingCode& missing_code(const std::filesystem::path& path, std::string_view name) {
  AllMissing& all = all_missing();
  const std::lock_guard lock(all.mutex);
  for (const MissingCode& known : all.codes)
    if (known.name == name && known.path == path) return known;
  MissingCode& code = all.codes.emplace_back();
  code.path = path;
  code.name = name;
  code.function = make_function(code);
  constexpr std::string_view of_table = "_ZTV";
  const std::string_view symbol = name.substr(0, name.find_first_of("#@"));
  code.type_name = symbol.substr(symbol.starts_with(of_table) ? of_table.size() : 0);
  std::memcpy(&code.type.table, static_cast<const void*>(&typeid(Plain)), sizeof(void*));
  code.type.name = code.type_name.c_str();
  return code;
}

const MissingCode* missing_code_at(const void* function) {
  AllMissing& all = all_missing();
  const std::lock_guard lock(all.mutex);
  for (const MissingCode& code : all.codes)
    if (code.function == function) return &code;
  return nullptr;
}

void stop_at_missing_code(const MissingCode& code) {
  const bool is_table = code.name.starts_with("_ZTV");
  const char* const remedy =
      is_of_coroutine(code.name)
          ? "a coroutine goes on only where it is compiled from the same source with the same options: build it so"
          : "link the file that defines it, compiled with the plugin";
  std::fprintf(stderr,
               "perdure: %s '%s' is called through pool '%s', but this program does not have it\n"
               "  %s; or open the pool with a program that has it, and replace the objects there "
               "(OpenOptions::refuse_missing_code refuses such a pool)\n",
               is_table ? "a virtual function of type" : "the function", readable_code(code.name).c_str(),
               code.path.c_str(), remedy);
  std::abort();
}

}  // namespace perdure::alloc
