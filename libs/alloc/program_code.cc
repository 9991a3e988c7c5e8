#include "alloc/program_code.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "sched/hold_during_fork.h"

namespace perdure::alloc {
namespace {

std::string_view name_of(const ProgramCode* row) { return row->name; }

}  // namespace

bool ProgramCode::contains(std::uintptr_t pointer) const noexcept {
  switch (kind()) {
    case CodeKind::table:
      return begin() < pointer && pointer - begin() <= bytes;
    case CodeKind::function:
      return pointer == begin();
    default:
      return pointer - begin() < bytes;
  }
}

void ProgramCodes::add(std::span<const ProgramCode> rows) {
  rows_.push_back(rows);
  is_sorted_ = false;
  for (const ProgramCode& row : rows) {
    if (row.address == nullptr) continue;
    begin_.store(std::min(begin_.load(std::memory_order_relaxed), row.begin()), std::memory_order_relaxed);
    end_.store(std::max(end_.load(std::memory_order_relaxed), row.begin() + row.bytes + 1), std::memory_order_relaxed);
  }
}

void ProgramCodes::remove(std::span<const ProgramCode> rows) {
  std::erase_if(rows_, [&](std::span<const ProgramCode> known) { return known.data() == rows.data(); });
  is_sorted_ = false;
}

/// Every file that instantiates a template brings a row for it. One is enough.
void ProgramCodes::sort() {
  if (is_sorted_) return;
  by_address_.clear();
  for (const std::span<const ProgramCode> rows : rows_)
    for (const ProgramCode& row : rows)
      if (row.address != nullptr) by_address_.push_back(&row);
  const auto key = [](const ProgramCode* row) { return std::pair(row->begin(), std::string_view(row->name)); };
  std::ranges::sort(by_address_, {}, key);
  const auto repeated = std::ranges::unique(by_address_, {}, key);
  by_address_.erase(repeated.begin(), repeated.end());
  by_name_.clear();
  std::ranges::copy_if(by_address_, std::back_inserter(by_name_),
                       [](const ProgramCode* row) { return row->kind() != CodeKind::text; });
  std::ranges::sort(by_name_, {}, [](const ProgramCode* row) { return std::pair(name_of(row), row->begin()); });
  is_sorted_ = true;
}

/// Of several names of one address the first: the linker's own rows add a file to what it has made local.
const ProgramCode* ProgramCodes::at(std::uintptr_t address) {
  sort();
  const auto behind = std::ranges::upper_bound(by_address_, address, {}, &ProgramCode::begin);
  const ProgramCode* found = nullptr;
  for (auto position = behind; position != by_address_.begin();) {
    const ProgramCode& row = **--position;
    if (found != nullptr && row.begin() != found->begin()) break;
    if (row.contains(address)) found = &row;
    if (found == nullptr && row.bytes != 0 && row.begin() < address) break;
  }
  return found;
}

const ProgramCode* ProgramCodes::named(std::string_view name) {
  sort();
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  return found != by_name_.end() && (*found)->name == name ? *found : nullptr;
}

bool ProgramCodes::is_ambiguous(std::string_view name) {
  sort();
  const auto same = std::ranges::equal_range(by_name_, name, {}, name_of);
  return same.size() > 1 && name.find('@') != std::string_view::npos;
}

std::mutex& code_mutex() {
  static auto* const mutex = [] {
    sched::hold_during_fork<code_mutex>();
    return new std::mutex;  // shared libraries may be unloaded after static objects are gone
  }();
  return *mutex;
}

ProgramCodes& program_codes() {
  static auto* const codes = new ProgramCodes;
  return *codes;
}

std::string readable_code(std::string_view name) {
  constexpr std::size_t most_of_text = 40;
  if (name.starts_with(text_mark))
    return std::string(name.substr(0, most_of_text)) + (name.size() > most_of_text ? "..." : "") + text_mark;
  if (name.starts_with(constant_mark)) name.remove_prefix(1);
  const std::string symbol(name.substr(0, name.find_first_of("#@")));
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(::abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  if (text == nullptr) return symbol;
  const std::string_view readable = text.get();
  constexpr std::string_view of_table = "vtable for ";
  return std::string(readable.starts_with(of_table) ? readable.substr(of_table.size()) : readable);
}

}  // namespace perdure::alloc
