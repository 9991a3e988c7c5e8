#include "alloc/code_table.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

/// What the program has now under a name that a pool has. Null: nothing, or something else.
const ProgramCode* find_in_program(const CodeName& name) {
  const ProgramCode* const code = program_codes().named(name.name);
  const bool fits = code != nullptr && (code->bytes == 0) == (name.kind == CodeName::Kind::function) &&
                    !program_codes().is_ambiguous(name.name);
  return fits ? code : nullptr;
}

std::uintptr_t address_of(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// For a table that the program lacks. What is before the type are distances to other parts of an object: none.
void fill_with_missing(std::span<std::uintptr_t> words, const CodeName& name, const MissingCode& missing) {
  std::ranges::fill(words, address_of(missing.function));
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

void CodeTable::fill(const CodeName& name) noexcept {
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
  return translate_new(value);
}

std::uintptr_t CodeTable::translate_new(std::uintptr_t value) noexcept {
  const std::lock_guard lock(code_mutex());
  if (!is_open_ || superblocks_.mapping().read_only() || !superblocks_.mapping().durable()) return value;
  const CodeName* const name = name_for(value);
  if (name == nullptr) return value;
  const std::uintptr_t address = address_of(*name);
  known_.put(value, address);
  return address;
}

/// The name here of what another pool or the program has at that address; null if neither has anything there.
const CodeName* CodeTable::name_for(std::uintptr_t value) noexcept {
  const auto* const pointer = reinterpret_cast<const void*>(value);
  if (pool::in_window(pointer)) {
    if (!pool::is_code_address(pointer) || pool::slot_of(pointer) == superblocks_.mapping().slot()) return nullptr;
    const Heap* const other = heap_of(pointer);
    const CodeName* const name =
        other != nullptr ? other->codes().names_.at(other->codes().area_.place_of(value)) : nullptr;
    return name != nullptr ? &enter(*name) : nullptr;
  }
  const ProgramCode* const code = program_codes().at(value);
  if (code == nullptr) return nullptr;
  if (program_codes().is_ambiguous(code->name))
    stop(code->name, "is the name of several functions or classes, each known to one file, in files of one name");
  const auto kind = code->bytes == 0 ? CodeName::Kind::function : CodeName::Kind::table;
  const auto point = static_cast<std::uint32_t>(value - code->begin());
  const CodeName& name = enter({code->name, kind, 0, static_cast<std::uint32_t>(code->bytes), point});
  if (name.point != point)
    stop(name.name, "has other virtual base classes than when the pool was made, or functions of these");
  return &name;
}

const CodeName& CodeTable::enter(CodeName wanted) noexcept {
  if (const CodeName* const name = names_.find(wanted.name)) {
    if (name->kind == wanted.kind && wanted.bytes <= name->reserved()) return *name;
    stop(wanted.name, "has many more virtual functions than when the pool was made");
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
  const CodeName* const name = names_.at(area_.place_of(address));
  return name != nullptr && address_of(*name) == address ? name->name : std::string();
}

bool CodeTable::is_code(std::uint32_t place) const {
  const std::lock_guard lock(code_mutex());
  const CodeName* const name = names_.at(place);
  return name != nullptr && name->place + name->point == place;
}

void* CodeTable::target_of(std::uintptr_t address) const noexcept {
  const std::lock_guard lock(code_mutex());
  const CodeName* const name = names_.at(area_.place_of(address));
  if (name == nullptr || name->kind != CodeName::Kind::function) return nullptr;
  return *reinterpret_cast<void**>(area_.address(name->place - CodeArea::functions + CodeArea::targets));
}

std::vector<CodeName> CodeTable::names() const {
  const std::lock_guard lock(code_mutex());
  return names_.all();
}

std::vector<std::string> CodeTable::missing() const {
  const std::lock_guard lock(code_mutex());
  std::vector<std::string> missing;
  for (const CodeName& name : names_.all())
    if (find_in_program(name) == nullptr) missing.push_back(readable_code(name.name));
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
