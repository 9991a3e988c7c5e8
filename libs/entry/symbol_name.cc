#include "entry/symbol_name.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

namespace perdure::entry {
namespace {

/// Of a clone: the function's.
std::string demangled(const char* symbol) {
  constexpr std::string_view clone_prefix = "perdure_tm_";
  if (std::string_view(symbol).starts_with(clone_prefix)) symbol += clone_prefix.size();
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(__cxxabiv1::__cxa_demangle(symbol, nullptr, nullptr, &status),
                                                    std::free);
  return name != nullptr ? name.get() : symbol;
}

/// An ELF file's table of symbols, which holds those as well that the dynamic linker does not know.
class SymbolTable {
 public:
  explicit SymbolTable(const char* path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const std::streamoff bytes = file.tellg();
    if (bytes <= 0) return;
    contents_.resize(static_cast<std::size_t>(bytes));
    // At once: character by character it takes seconds where accesses are checked.
    if (!file.seekg(0).read(contents_.data(), bytes)) contents_.clear();
  }

  /// \param offset  the address, less that which the file is loaded at.
  std::optional<std::string> name_at(std::uintptr_t offset) const {
    const auto* const header = at<ElfW(Ehdr)>(0);
    if (header == nullptr) return std::nullopt;
    for (unsigned i = 0; i < header->e_shnum; ++i) {
      const auto* const section = section_at(*header, i);
      if (section == nullptr || section->sh_type != SHT_SYMTAB) continue;
      const auto* const names = section_at(*header, section->sh_link);
      if (names != nullptr) return name_at(offset, *section, *names);
    }
    return std::nullopt;
  }

 private:
  template <class T>
  const T* at(std::size_t position) const {
    if (position + sizeof(T) > contents_.size()) return nullptr;
    return reinterpret_cast<const T*>(contents_.data() + position);
  }

  const ElfW(Shdr) * section_at(const ElfW(Ehdr) & header, unsigned index) const {
    return at<ElfW(Shdr)>(header.e_shoff + std::size_t{index} * header.e_shentsize);
  }

  std::optional<std::string> name_at(std::uintptr_t offset, const ElfW(Shdr) & symbols,
                                     const ElfW(Shdr) & names) const {
    for (std::size_t position = 0; position < symbols.sh_size; position += sizeof(ElfW(Sym))) {
      const auto* const symbol = at<ElfW(Sym)>(symbols.sh_offset + position);
      if (symbol == nullptr) break;
      const unsigned type = ELF64_ST_TYPE(symbol->st_info);
      if ((type != STT_FUNC && type != STT_OBJECT) || offset - symbol->st_value >= symbol->st_size) continue;
      const char* const name = at<char>(names.sh_offset + symbol->st_name);
      if (name != nullptr) return demangled(name);
    }
    return std::nullopt;
  }

  std::vector<char> contents_;
};

}  // namespace

std::optional<std::string> name_of_symbol(const void* address) {
  Dl_info place{};
  link_map* map = nullptr;
  if (dladdr1(address, &place, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return std::nullopt;
  if (place.dli_sname != nullptr && place.dli_saddr == address) return demangled(place.dli_sname);
  // The main program has no name in the map.
  const char* const path = map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe";
  const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(address) - map->l_addr;
  if (const auto name = SymbolTable(path).name_at(offset)) return *name;
  return (std::ostringstream() << "offset 0x" << std::hex << offset << " of " << place.dli_fname).str();
}

std::string name_of_function(const void* address) {
  if (auto name = name_of_symbol(address)) return name->starts_with("offset ") ? "the function at " + *name : *name;
  return (std::ostringstream() << "the function at " << address).str();
}

}  // namespace perdure::entry
