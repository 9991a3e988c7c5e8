#include "alloc/code_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>

#include "alloc/heap.h"
#include "alloc/missing_code.h"

namespace perdure::alloc {
namespace {

constexpr std::size_t word_bytes = sizeof(std::uintptr_t);

/// Those that are open; guarded by `code_mutex`.
std::vector<CodeTable*>& open_tables() {
  static auto* const tables = new std::vector<CodeTable*>;
  return *tables;
}

/// What the program has now under a name that a pool has. Null: nothing, or something else; or it is a text.
const ProgramCode* find_in_program(const CodeName& name) {
  const ProgramCode* const code = program_codes().named(name.name);
  const bool fits = code != nullptr && code->kind() == name.kind && !program_codes().is_ambiguous(name.name);
  return fits ? code : nullptr;
}

/// From there to its end, with the mark; empty if it has none, or is too long for a name.
std::string spell_text(const ProgramCode& text, std::uintptr_t begin) {
  const auto* const characters = reinterpret_cast<const char*>(begin);
  const std::size_t most = text.begin() + text.bytes - begin;
  const std::size_t size = strnlen(characters, most);
  if (size == most || size + 1 > CodeNames::max_name_bytes) return {};
  return text_mark + std::string(characters, size);
}

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// For a table or constant that the program lacks: whoever calls a function of it is told. What is before the type in a
/// table are distances to other parts of an object: none.
void fill_with_missing(std::span<std::uintptr_t> words, const CodeName& name, const MissingCode& missing) {
  std::ranges::fill(words, address_of(missing.function));
  if (name.kind == CodeName::Kind::constant) return;
  std::fill_n(words.begin(), name.point / word_bytes, 0);
  words[name.point / word_bytes - 1] = address_of(&missing.type);
}

}  // namespace

CodeTable::CodeTable(Superblocks& superblocks)
    : superblocks_(superblocks), names_(superblocks), area_(pool::code_area(superblocks.mapping().slot())) {}

CodeTable::~CodeTable() {
  if (!is_open_) return;
  const std::lock_guard lock(code_mutex());
  std::erase(open_tables(), this);
}

void CodeTable::open() {
  const std::lock_guard lock(code_mutex());
  fill_all();
  open_tables().push_back(this);
  is_open_ = true;
}

void CodeTable::fill_all() noexcept {
  for (const CodeName& name : names_.all()) fill(name);
}

void CodeTable::fill_with_text(const CodeName& name) noexcept {
  std::vector<std::uintptr_t> words(name.reserved() / word_bytes);
  std::memcpy(words.data(), name.name.data() + 1, name.name.size() - 1);
  area_.put_table(name.place, words);
}

void CodeTable::fill(const CodeName& name) noexcept {
  if (name.kind == CodeName::Kind::text) return fill_with_text(name);
  const ProgramCode* const code = find_in_program(name);
  if (name.kind == CodeName::Kind::function) {
    const auto& path = superblocks_.mapping().path();
    return area_.put_function(name.place, code != nullptr ? code->address : missing_code(path, name.name).function);
  }
  std::vector<std::uintptr_t> words(name.reserved() / word_bytes);
  // Also for those behind the program's own: functions that the class had in another version.
  if (code == nullptr || code->bytes < name.reserved())
    fill_with_missing(words, name, missing_code(superblocks_.mapping().path(), name.name));
  if (code != nullptr)
    std::memcpy(words.data(), code->address, std::min<std::size_t>(code->bytes, words.size() * word_bytes));
  area_.put_table(name.place, words);
}

std::uintptr_t CodeTable::translate(std::uintptr_t value) noexcept {
  if (const std::uintptr_t known = known_.find(value)) return known;
  const bool is_of_pool = pool::in_window(reinterpret_cast<const void*>(value));
  return is_of_pool || !program_codes().is_elsewhere(value) ? translate_new(value) : value;
}

std::uintptr_t CodeTable::translate_new(std::uintptr_t value) noexcept {
  const std::lock_guard lock(code_mutex());
  if (!is_open_ || superblocks_.mapping().read_only() || !superblocks_.mapping().durable()) return value;
  const std::uintptr_t address = address_for(value);
  if (address == 0) return value;
  known_.put(value, address);
  return address;
}

/// Here, for what another pool or the program has at that address; 0 if neither has anything there.
std::uintptr_t CodeTable::address_for(std::uintptr_t value) noexcept {
  if (pool::in_window(reinterpret_cast<const void*>(value))) return address_of_other(value);
  const ProgramCode* const code = program_codes().at(value);
  return code != nullptr ? address_of_code(*code, value) : 0;
}

std::uintptr_t CodeTable::address_of_other(std::uintptr_t value) noexcept {
  const auto* const pointer = reinterpret_cast<const void*>(value);
  if (!pool::is_code_address(pointer) || pool::slot_of(pointer) == superblocks_.mapping().slot()) return 0;
  const Heap* const other = heap_of(pointer);
  if (other == nullptr) return 0;
  const std::uint32_t place = other->codes().area_.place_of(value);
  const CodeName* const name = other->codes().names_.at(place);
  return name != nullptr ? area_.address(enter(*name).place + (place - name->place)) : 0;
}

std::uintptr_t CodeTable::address_of_code(const ProgramCode& code, std::uintptr_t value) noexcept {
  if (code.kind() == CodeKind::text) {
    const std::string text = spell_text(code, value);
    return text.empty() ? 0 : address_of(enter({text, CodeKind::text, 0, static_cast<std::uint32_t>(text.size())}));
  }
  const auto offset = static_cast<std::uint32_t>(value - code.begin());
  const auto bytes = static_cast<std::uint32_t>(code.bytes);
  const bool is_ambiguous = program_codes().is_ambiguous(code.name);
  if (code.kind() == CodeKind::constant)
    return is_ambiguous ? 0 : area_.address(enter({code.name, code.kind(), 0, bytes}).place + offset);
  if (is_ambiguous)
    stop(code.name, "is the name of several functions or classes, each known to one file, in files of one name");
  const CodeName& name = enter({code.name, code.kind(), 0, bytes, offset});
  if (name.point != offset)
    stop(name.name, "has other virtual base classes than when the pool was made, or functions of these");
  return address_of(name);
}

const CodeName& CodeTable::enter(CodeName wanted) noexcept {
  if (const CodeName* const name = names_.find(wanted.name)) {
    if (name->kind == wanted.kind && wanted.bytes <= name->reserved()) return *name;
    stop(wanted.name, "is much larger than when the pool was made");
  }
  const std::string spelled = wanted.name;
  const CodeName* const name = names_.add(std::move(wanted));
  if (name == nullptr) stop(spelled, "is the name of code that an object there leads to, and there is no room for it");
  fill(*name);
  return *name;
}

void CodeTable::stop(const std::string& name, const char* why) const {
  std::fprintf(stderr, "perdure: in pool '%s', '%s' %s\n", superblocks_.mapping().path().c_str(),
               readable_code(name).c_str(), why);
  std::abort();
}

std::string CodeTable::name_at(std::uintptr_t address) const {
  const std::lock_guard lock(code_mutex());
  const std::uint32_t place = area_.place_of(address);
  const CodeName* const name = names_.at(place);
  return name != nullptr && name->leads_to(place) ? name->name : std::string();
}

bool CodeTable::is_code(std::uint32_t place) const {
  const std::lock_guard lock(code_mutex());
  const CodeName* const name = names_.at(place);
  return name != nullptr && name->leads_to(place);
}

void* CodeTable::target_of(std::uintptr_t address) const noexcept {
  const std::lock_guard lock(code_mutex());
  const CodeName* const name = names_.at(area_.place_of(address));
  if (name == nullptr || name->kind != CodeName::Kind::function) return nullptr;
  return *reinterpret_cast<void**>(area_.address(name->place - CodeArea::functions + CodeArea::targets));
}

std::uintptr_t CodeTable::in_program(std::uintptr_t address) const noexcept {
  const std::lock_guard lock(code_mutex());
  const std::uint32_t place = area_.place_of(address);
  const CodeName* const name = names_.at(place);
  const ProgramCode* const code = name != nullptr && name->leads_to(place) ? find_in_program(*name) : nullptr;
  return code != nullptr && place - name->place <= code->bytes ? code->begin() + (place - name->place) : address;
}

std::vector<CodeName> CodeTable::names() const {
  const std::lock_guard lock(code_mutex());
  return names_.all();
}

std::vector<CodeName> CodeTable::missing() const {
  const std::lock_guard lock(code_mutex());
  std::vector<CodeName> missing;
  std::ranges::copy_if(names_.all(), std::back_inserter(missing), [](const CodeName& name) {
    return name.kind != CodeKind::text && find_in_program(name) == nullptr;
  });
  return missing;
}

void CodeTable::forget() noexcept { known_.clear(); }

void CodeTable::add(std::span<const ProgramCode> rows) {
  const std::lock_guard lock(code_mutex());
  program_codes().add(rows);
  for (CodeTable* const table : open_tables()) table->fill_all();
}

void CodeTable::remove(std::span<const ProgramCode> rows) {
  const std::lock_guard lock(code_mutex());
  program_codes().remove(rows);
  for (CodeTable* const table : open_tables()) {
    table->forget();
    table->fill_all();
  }
}

}  // namespace perdure::alloc
