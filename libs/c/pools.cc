// Pools of perdure/c.h over what C++ programs use.
#include "perdure/c.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "c/c_roots.h"
#include "c/status.h"
#include "disk/commit_position.h"
#include "entry/allocation.h"
#include "open/open_pool.h"
#include "perdure/error.h"
#include "perdure/statistics.h"
#include "persist/environment.h"

struct perdure_pool {
  perdure::opening::OpenPool pool;
};

namespace {

using perdure::PoolError;
using perdure::c::status_of;

std::string_view without_keyword(std::string_view type) {
  for (const std::string_view keyword : {"struct ", "union ", "enum "})
    if (type.starts_with(keyword)) return type.substr(keyword.size());
  return type;
}

void require(bool condition, const char* message) {
  if (!condition) throw PoolError(PoolError::Kind::usage, "", message);
}

perdure::OpenOptions options_of(const perdure_open_options& given) {
  perdure::OpenOptions options;
  options.size_limit = given.size_limit;
  if (given.log_budget != 0) options.log_budget = given.log_budget;
  options.read_only = given.read_only != 0;
  options.accept_volatile = given.accept_volatile != 0;
  options.wait_for_mark = given.wait_for_mark != 0;
  options.exact_mark = given.exact_mark != 0;
  options.move_if_address_taken = given.refuse_to_move == 0;
  options.refuse_missing_code = given.refuse_missing_code != 0;
  if (given.survives_power_failure > 0) options.durability = perdure::Durability::power;
  if (given.survives_power_failure < 0) options.durability = perdure::Durability::process;
  options.trust_network = given.trust_network != 0;
  options.log_bytes = given.log_bytes;
  options.copies = given.copies;
  if (given.relaxed != 0) options.acknowledgement = perdure::Acknowledgement::relaxed;
  options.memory_budget = given.memory_budget;
  options.verify_pages = given.verify_pages != 0;
  if (given.log_folder != nullptr) options.log_folder = given.log_folder;
  if (given.lag_milliseconds != 0) options.lag_milliseconds = given.lag_milliseconds;
  return options;
}

template <std::size_t Size>
void copy_text(char (&to)[Size], const std::string& from) {
  to[from.copy(to, Size - 1)] = '\0';
}

perdure_root_info describe(const perdure::roots::RootInfo& root) {
  perdure_root_info info{};
  copy_text(info.name, root.name);
  copy_text(info.type, root.type_name);
  info.size = root.size;
  info.alignment = root.alignment;
  return info;
}

perdure_open_report report_of(const perdure::OpenReport& report) {
  return {.state = static_cast<int>(report.state),
          .medium = static_cast<int>(report.medium),
          .header_repaired = report.header_repaired ? 1 : 0,
          .mark_is_running = report.mark_is_running ? 1 : 0,
          .transactions_replayed = report.transactions_replayed,
          .transactions_rolled_back = report.transactions_rolled_back,
          .bytes_replayed = report.bytes_replayed,
          .milliseconds = report.milliseconds,
          .moved_from = report.moved_from,
          .pointers_moved = report.pointers_moved,
          .pointers_cleared = report.pointers_cleared,
          .pointers_to_other_pools = report.pointers_to_other_pools,
          .blocks_reclaimed = report.blocks_reclaimed,
          .bytes_marked = report.bytes_marked,
          .mark_milliseconds = report.mark_milliseconds};
}

}  // namespace

const char* perdure_library() { return perdure::library_name(); }

int perdure_pool_open(const char* path, perdure_pool** pool) {
  const perdure_open_options options{};
  return perdure_pool_open_with(path, &options, pool);
}

int perdure_pool_open_with(const char* path, const perdure_open_options* options, perdure_pool** pool) {
  *pool = nullptr;
  return status_of([&] {
    require(path != nullptr, "perdure_pool_open: the path is null. Give the name of a file.");
    require(options != nullptr, "perdure_pool_open_with: the options are null. Give some, or call perdure_pool_open.");
    perdure::persistence::require_valid_environment();
    *pool = new perdure_pool{{path, options_of(*options)}};
    (*pool)->pool.warn_of_missing_constants();
  });
}

int perdure_pool_report(perdure_pool* pool, int wait_for_mark, perdure_open_report* report) {
  return status_of([&] {
    require(pool != nullptr && report != nullptr,
            "perdure_pool_report: the pool, or where to put the report, is null.");
    *report = report_of(wait_for_mark != 0 ? pool->pool.wait_for_mark() : pool->pool.report());
  });
}

perdure_commit_token perdure_last_commit() {
  const perdure::disk::CommitPosition& last = perdure::disk::last_commit();
  return {last.slot, last.opening, last.position};
}

int perdure_commit_is_durable(const perdure_commit_token* commit) {
  bool is_durable = false;
  const int status =
      status_of([&] { is_durable = perdure::disk::is_durable({commit->slot, commit->opening, commit->position}); });
  return status != PERDURE_OK ? status : static_cast<int>(is_durable);
}

int perdure_commit_wait(const perdure_commit_token* commit) {
  return status_of([&] { perdure::disk::await_durable({commit->slot, commit->opening, commit->position}); });
}

int perdure_pool_sync(perdure_pool* pool) {
  return status_of([&] {
    require(pool != nullptr, "perdure_pool_sync: the pool is null. Open it first, and check the status.");
    pool->pool.sync();
  });
}

uint64_t perdure_pool_durable_up_to(perdure_pool* pool) { return pool->pool.durable_up_to(); }

int perdure_pool_on_durable(perdure_pool* pool, void (*function)(void*, int), void* argument) {
  return status_of([&] {
    require(pool != nullptr && function != nullptr, "perdure_pool_on_durable: the pool or the function is null.");
    pool->pool.on_durable([function, argument](bool is_durable) { function(argument, is_durable ? 1 : 0); });
  });
}

int perdure_pool_durable_event(perdure_pool* pool) { return pool->pool.durable_event(); }

int perdure_pool_close(perdure_pool* pool) {
  const std::unique_ptr<perdure_pool> closing(pool);
  if (pool == nullptr) return PERDURE_OK;
  if (perdure::alloc::detail::chosen_heap == &pool->pool.heap()) perdure::alloc::detail::chosen_heap = nullptr;
  return status_of([&] { closing->pool.close(); });
}

int perdure_pool_choose(perdure_pool* pool) {
  return status_of([&] {
    require(
        pool == nullptr || !pool->pool.heap().mapping().read_only(),
        "perdure_pool_choose: the pool is open for reading, so nothing can be allocated in it. Open it for writing.");
    perdure::alloc::detail::chosen_heap = pool == nullptr ? nullptr : &pool->pool.heap();
  });
}

int perdure_pool_root(perdure_pool* pool, const char* name, const char* type, std::size_t size, std::size_t alignment,
                      void** root) {
  *root = nullptr;
  return status_of([&] {
    require(pool != nullptr && name != nullptr && type != nullptr,
            "perdure_pool_root: the pool, the name or the type is null. Open the pool first, and check its status.");
    require(size != 0 && std::has_single_bit(alignment),
            "perdure_pool_root: the size is 0, or the alignment no power of two. Use the macro perdure_root.");
    *root =
        perdure::c::find_or_make_zeroed_root(pool->pool.root_table(), name, {size, alignment, without_keyword(type)});
  });
}

int perdure_pool_list_roots(perdure_pool* pool, perdure_root_info* roots, std::size_t capacity, std::size_t* count) {
  return status_of([&] {
    require(pool != nullptr && count != nullptr && (roots != nullptr || capacity == 0),
            "perdure_pool_list_roots: the pool, or where to put the roots, is null.");
    const auto found = perdure::roots::list(pool->pool.root_table());
    std::transform(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(capacity, found.size())), roots,
                   describe);
    *count = found.size();
  });
}

int perdure_pool_rename_root(perdure_pool* pool, const char* from, const char* to) {
  return status_of([&] {
    require(pool != nullptr && from != nullptr && to != nullptr,
            "perdure_pool_rename_root: the pool or a name is null. Open the pool first, and check its status.");
    perdure::roots::rename(pool->pool.root_table(), from, to);
  });
}

int perdure_pool_remove_root(perdure_pool* pool, const char* name) {
  return status_of([&] {
    require(pool != nullptr && name != nullptr,
            "perdure_pool_remove_root: the pool or the name is null. Open the pool first, and check its status.");
    perdure::roots::RootTable& table = pool->pool.root_table();
    if (!perdure::roots::drop(table, name)) perdure::roots::detail::refuse_missing(table, name);
  });
}
