#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "alloc/heap.h"
#include "commands.h"
#include "pages.h"
#include "pool/header.h"
#include "pool_file.h"
#include "reachability.h"

namespace perdure::tools {
namespace {

using Kind = PoolError::Kind;

/// Whether the file's contents are why it was refused, not what this process may do.
bool is_damage(Kind kind) {
  constexpr std::array damages = {Kind::not_a_pool, Kind::truncated, Kind::damaged};
  return std::ranges::find(damages, kind) != damages.end();
}

/// One copy of the header is enough, so opening says nothing of this. The pool is open, so the file has both.
void check_header_copies(const opening::OpenPool& pool, Document& damage) {
  const auto* const copies = reinterpret_cast<const pool::Header*>(pool.mapping().base());
  for (std::size_t copy = 0; copy < pool::header_copies; ++copy)
    if (!pool::is_intact(copies[copy]))
      damage.push_back("copy " + std::to_string(copy) +
                       " of the header is damaged; the other one is intact, and the next open repairs it");
}

void check_snapshot(const opening::OpenPool& pool, Document& damage) {
  const bool is_closed = pool.mapping().header().state == pool::State::clean && !pool.report().header_repaired;
  if (is_closed && pool.report().state == OpenReport::State::recovered)
    damage.push_back("the list of free blocks is damaged; the next open finds them again");
}

constexpr const char* spell(alloc::CodeName::Kind kind) {
  switch (kind) {
    case alloc::CodeName::Kind::table:
      return "type";
    case alloc::CodeName::Kind::function:
      return "function";
    case alloc::CodeName::Kind::constant:
      return "constant";
    case alloc::CodeName::Kind::text:
      return "text";
  }
  return "";
}

/// What objects in the pool may lead to that is the program's.
Document code_of(const opening::OpenPool& pool) {
  Document code = Document::array();
  for (const alloc::CodeName& name : pool.heap().codes().names())
    code.push_back({{"name", alloc::readable_code(name.name)}, {"kind", spell(name.kind)}});
  return code;
}

}  // namespace

Document check(const std::filesystem::path& path) {
  Document document{{"file", path.string()}};
  Document damage = Document::array();
  std::vector<std::uint64_t> damaged_pages;
  const auto note_pages = [&](auto&& objects_in) {
    for (const std::uint64_t page : std::exchange(damaged_pages, {}))
      damage.push_back(spell_damaged_page(page) + objects_in(page));
  };
  try {
    if (const auto pages = verify_pages(path)) {
      add_pages(*pages, document);
      damaged_pages = pages->damaged;
    }
    opening::OpenPool pool = open_for_reading(path);
    note_pages([&](std::uint64_t page) { return spell_objects_in(page, pool.heap(), pool.root_table()); });
    check_header_copies(pool, damage);
    check_snapshot(pool, damage);
    const OpenReport& report = pool.report();
    const Unreachable unreachable = find_unreachable(pool.heap());
    document.update({{"state", spell_state(report)},
                     {"transactions_to_replay", report.transactions_replayed},
                     {"transactions_to_roll_back", report.transactions_rolled_back},
                     {"unreachable_blocks", unreachable.blocks},
                     {"unreachable_bytes", unreachable.bytes}});
    if (Document code = code_of(pool); !code.empty()) document["code"] = std::move(code);
  } catch (const PoolError& error) {
    if (!is_damage(error.kind())) throw;
    note_pages([](std::uint64_t) { return ""; });
    damage.push_back(error.what());
  }
  document["damage"] = damage;
  return document;
}

}  // namespace perdure::tools
