#include "open/open_pool.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <span>

#include "alloc/snapshot.h"
#include "disk/make_log.h"
#include "disk/recover_image.h"
#include "log/record_logs.h"
#include "log/replica_set.h"
#include "open/leave_to_exceptions.h"
#include "open/log_beside_pool.h"
#include "persist/domain.h"
#include "persist/environment.h"
#include "persist/instance.h"
#include "persist/step.h"
#include "pool/refuse.h"
#include "recover/coordinator.h"
#include "recover/replay.h"
#include "recover/replay_records.h"
#include "recover/settle_replicas.h"
#include "relocate/relocation.h"

namespace perdure::opening {
namespace {

double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

const char* describe(OpenReport::State state) {
  switch (state) {
    case OpenReport::State::created:
      return "created";
    case OpenReport::State::clean:
      return "opened";
    case OpenReport::State::recovered:
      return "recovered";
    case OpenReport::State::is_volatile:
      return "made in volatile memory";
  }
  return "";
}

const char* describe(Medium medium) {
  switch (medium) {
    case Medium::persistent_memory:
      return "persistent memory: survives crashes of the process and power failures";
    case Medium::disk:
      return "disk: survives crashes of the process and power failures, by its log";
    case Medium::page_cache:
      return "page cache: survives crashes of the process; power failures only once closed";
    case Medium::volatile_memory:
      return "volatile memory: ends with the process";
  }
  return "";
}

void note_move(const relocate::RelocationReport& moved, OpenReport& report) {
  if (report.moved_from == 0) report.moved_from = moved.from;
  report.pointers_moved += moved.pointers_moved;
  report.pointers_cleared += moved.pointers_cleared;
  report.pointers_to_other_pools += moved.pointers_to_other_pools;
}

// -- pools on disks ---------------------------------------------------------------------------------------------------

/// A new pool, or one that has no log yet: as one that is closed gets it. \returns whether it is to have one.
bool add_log(const std::filesystem::path& path, const OpenOptions& options, OpenReport& report) {
  OpenOptions without_log = options;
  without_log.durability = Durability::process;
  {
    OpenPool pool(path, without_log, Marking::at_once);
    pool.close();
    if (pool.report().state == OpenReport::State::created) report.state = OpenReport::State::created;
    if (pool.report().medium == Medium::persistent_memory) return false;
  }
  const bool must = options.durability == Durability::power;
  if (!must && !disk::can_have_log(path)) return false;
  try {
    make_log(path, options);
    return true;
  } catch (const PoolError& error) {
    if (must) throw;
    std::fprintf(stderr, "perdure: %s Until then it survives crashes of the process, not power failures.\n",
                 error.what());
    return false;
  }
}

/// \returns 0 where nothing is said.
log::Copy copies_of(const OpenOptions& options, const std::filesystem::path& path) {
  const std::size_t copies = options.copies;
  if (copies == 1 || copies > log::most_copies)
    pool::refuse(PoolError::Kind::usage, path,
                 "cannot have " + std::to_string(copies) + (copies == 1 ? " copy" : " copies") +
                     ". Set OpenOptions::copies to a number from 2 to " + std::to_string(log::most_copies) +
                     ", or to 0.");
  return static_cast<log::Copy>(copies);
}

/// Bytes of a pool that may be in memory and nowhere else.
std::uint64_t memory_budget(const OpenOptions& options) {
  constexpr std::uint64_t share = 4;
  if (options.memory_budget != 0) return options.memory_budget;
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) /
         share;
}

pool::Mapping open_logged(const std::filesystem::path& path, const OpenOptions& options,
                          std::unique_ptr<disk::PoolLog>& log) {
  if (options.read_only)
    return pool::Mapping::open_logged_for_reading(
        path, [&](std::byte* memory, std::uint64_t bytes) { disk::replay_in_memory(path, memory, bytes); });
  disk::PoolLog::Options log_options;
  if (options.acknowledgement == Acknowledgement::relaxed) log_options.lag.emplace(options.lag_milliseconds);
  log_options.verifies_all = options.verify_pages;
  // (Where transactions run one at a time, one may begin while memory is given up.)
  if (instance.facts.conflicts) log_options.memory_bytes = memory_budget(options);
  auto mapping = pool::Mapping::open_logged(path, options.size_limit,
                                            [&] { log = std::make_unique<disk::PoolLog>(path, log_options); });
  log->attach(mapping.base(), mapping.max_bytes());
  return mapping;
}

pool::Mapping open_where_it_lives(const std::filesystem::path& path, const OpenOptions& options, OpenReport& report,
                                  std::unique_ptr<disk::PoolLog>& log) {
  if (instance.durable) {
    const bool has_log = disk::has_log(path);
    if (has_log && options.durability == Durability::power) require_records(path);
    const bool keeps_log = options.read_only || (instance.facts.records && options.durability != Durability::process);
    if (has_log && !options.read_only && disk::is_whole_without_log(path)) make_log(path, options);
    if (has_log ? keeps_log : is_to_get_log(path, options) && add_log(path, options, report))
      return open_logged(path, options, log);
    if (has_log) take_log_away(path);
  }
  return options.read_only ? pool::Mapping::open_for_reading(path) : pool::Mapping::open(path, options.size_limit);
}

/// Moves the pool if need be. Again if another thread takes the new address in the meantime.
pool::Mapping open_mapping(const std::filesystem::path& path, const OpenOptions& options, OpenReport& report,
                           std::unique_ptr<disk::PoolLog>& log) {
  for (std::size_t moves = 0;; ++moves) {
    try {
      return open_where_it_lives(path, options, report, log);
    } catch (const PoolError& error) {
      const bool may_move = error.kind() == PoolError::Kind::address_taken && options.move_if_address_taken;
      std::error_code unknown;
      const bool exists = std::filesystem::exists(path, unknown);  // otherwise there was no address for a new one
      if (!may_move || options.read_only || !exists || moves == pool::slot_count) throw;
    }
    log.reset();
    note_move(relocate::relocate(path), report);
  }
}

void say_what_was_found(const std::filesystem::path& path, const OpenReport& report) {
  std::fprintf(stderr, "perdure: pool '%s' %s in %.1f ms (%s)%s\n", path.c_str(), describe(report.state),
               report.milliseconds, describe(report.medium),
               report.header_repaired ? "; one copy of its header was damaged and has been repaired" : "");
}

std::string quoted(const std::vector<alloc::CodeName>& names) {
  std::string list;
  for (const alloc::CodeName& name : names)
    list += (list.empty() ? "'" : ", '") + alloc::readable_code(name.name) + "'";
  return list;
}

void warn_of_volatility_once(const std::filesystem::path& path) {
  static std::atomic<bool> said{false};
  if (said.exchange(true)) return;
  std::fprintf(stderr,
               "perdure: pool '%s' is kept in volatile memory, because this program is linked with %s: the file is "
               "neither read nor written. Link a durable library, or set OpenOptions::accept_volatile.\n",
               path.c_str(), instance.name);
}

}  // namespace

OpenPool::OpenPool(const std::filesystem::path& path, const OpenOptions& options)
    : OpenPool(path, options,
               options.wait_for_mark || persistence::is_simulated ? Marking::at_once : Marking::in_background) {}

OpenPool::OpenPool(const std::filesystem::path& path, const OpenOptions& options, Marking marking)
    : mapping_(open_mapping(path, options, report_, log_)), heap_(mapping_), owner_(getpid()) {
  report_.medium = mapping_.medium();
  report_.header_repaired = mapping_.header_needs_repair();
  if (!mapping_.durable() && !options.accept_volatile) warn_of_volatility_once(path);
  rebuild(options.exact_mark);
  if (options.refuse_missing_code) require_code();
  heap_.codes().open();
  log::replica_sets[mapping_.slot()].configure(copies_of(options, mapping_.path()));
  options.read_only ? hand_over_for_reading() : hand_over(options.log_budget, marking);
  report_.milliseconds = milliseconds_since(started_);
  if (persistence::environment().verbose) say_what_was_found(path, report_);
  no_fork_.reset();
}

void OpenPool::rebuild(bool marks_exactly) {
  if (!mapping_.durable()) {
    report_.state = OpenReport::State::is_volatile;
    return;
  }
  recover::require_sound_watermark(heap_);
  const pool::Header& header = mapping_.header();
  // With one copy of the header damaged, the other might be an old one; so are both, copied from a backup perhaps,
  // where the pool was opened since. Then only the logs and the marks are believed.
  const bool is_of_last_run = header.run == 0 || header.run == recover::current_run(heap_);
  const bool clean = header.state == pool::State::clean && !mapping_.header_needs_repair() && is_of_last_run;
  if (mapping_.created()) {
    report_.state = OpenReport::State::created;
  } else if (clean && load_snapshot(heap_, {header.snapshot, header.snapshot_bytes, header.snapshot_checksum})) {
    // (One that has just got its log was closed once.)
    if (!log_ || report_.state != OpenReport::State::created) report_.state = OpenReport::State::clean;
    require_sound_roots();
  } else {
    report_.state = OpenReport::State::recovered;
    recover(marks_exactly);
  }
}

/// May be cut short by a crash at any point and is then done again: replaying twice gives the same, marking changes
/// nothing durable but to clear descriptors of large blocks that nothing reaches.
void OpenPool::recover(bool marks_exactly) {
  const auto roots = std::as_bytes(std::span(&root_table(), 1));
  persistence::in_order<persistence::Step::replay_before_mark>(
      [&] { replay(); },
      [&] {
        alloc::Mark& mark = heap_.begin_mark(roots, marks_exactly);
        if (persistence::value<persistence::Step::mark_at_once>(false)) alloc::Marker(mark).run();
      });
  require_sound_roots();
}

void OpenPool::replay() {
  const bool last_in_replicas = recover::settle_replicas(heap_);
  const recover::ReplayReport replayed = recover::replay_logs(heap_);
  report_.transactions_replayed = replayed.transactions + (last_in_replicas ? 1 : 0);
  report_.transactions_rolled_back = replayed.rolled_back;
  report_.bytes_replayed = replayed.bytes;
  if (log_) {
    report_.transactions_replayed += log_->replayed_records();
    report_.bytes_replayed += log_->replayed_bytes();
  }
  heap_.layouts().settle_layouts();
  heap_.codes().settle();
  heap_.superblocks().settle();
}

void OpenPool::require_sound_roots() {
  for (const roots::Root& root : root_table().roots) {
    if (root.object == nullptr) continue;
    const bool sound = heap_.is_block(root.object) && heap_.usable_size(root.object) >= root.size &&
                       root.name.back() == '\0' && root.type_name.back() == '\0';
    if (!sound)
      pool::refuse(PoolError::Kind::damaged, path(),
                   "root number " + std::to_string(&root - root_table().roots.data()) +
                       " is damaged. Restore the file from a backup.");
  }
}

void OpenPool::warn_of_missing_constants() const {
  std::vector<alloc::CodeName> missing = heap_.codes().missing();
  std::erase_if(missing, [](const alloc::CodeName& name) { return name.kind != alloc::CodeKind::constant; });
  if (missing.empty()) return;
  std::fprintf(stderr,
               "perdure: pool '%s' leads to constants that this program does not have: %s. Do not use the objects that "
               "lead there; or link the files that define them, compiled with the plugin.\n",
               path().c_str(), quoted(missing).c_str());
}

void OpenPool::require_code() const {
  const std::vector<alloc::CodeName> missing = heap_.codes().missing();
  if (missing.empty()) return;
  pool::refuse(PoolError::Kind::missing_code, path(),
               "objects in it may be of types, or lead to functions or constants, that this program does not have: " +
                   quoted(missing) +
                   ". Link the files that define them, compiled with the plugin, or open it without "
                   "OpenOptions::refuse_missing_code.");
}

void OpenPool::hand_over(std::size_t log_budget, Marking marking) {
  // Before anything is handed out, and so before anything changes that the clean state vouched for.
  mapping_.mark_dirty();
  if (mapping_.durable()) {
    recover::begin_run(heap_);
    log::record_logs[mapping_.slot()].open(heap_, log_budget);
  }
  // Now, since the mark may add features in a thread of its own.
  const bool may_hold_decisions = (mapping_.header().incompatible_features & pool::transactions_over_pools) != 0;
  finish_rebuild(instance.shades ? marking : Marking::at_once);
  if (mapping_.durable()) recover::enter_pool(heap_, may_hold_decisions);
  alloc::register_heap(heap_);
  open_ = true;
}

/// Recovery has stored to private memory. Nothing is stored any more, so there are no logs to prepare.
void OpenPool::hand_over_for_reading() {
  finish_rebuild(Marking::at_once);
  mapping_.protect();
  alloc::register_heap(heap_);
  open_ = true;
}

void OpenPool::finish_rebuild(Marking marking) {
  if (heap_.mark() == nullptr) return heap_.finish_rebuild();
  heap_.superblocks().finish_rebuild();
  report_.mark_is_running = marking != Marking::at_once;
  if (marking == Marking::in_background) background_mark_.emplace(*heap_.mark());
  if (marking == Marking::at_once) {
    mark_at_once(*heap_.mark());
    wait_for_mark();
  }
}

const OpenReport& OpenPool::wait_for_mark() noexcept {
  // A forked child has no marker to wait for.
  if (const alloc::Mark* const mark = heap_.mark(); mark != nullptr && getpid() == owner_) {
    mark->wait();
    report_.mark_is_running = false;
    report_.blocks_reclaimed = mark->report().blocks_reclaimed;
    report_.bytes_marked = mark->report().bytes_visited;
    report_.mark_milliseconds = mark->report().milliseconds;
  }
  return report_;
}

void OpenPool::close() {
  if (!open_) return;
  open_ = false;
  if (getpid() != owner_) return;
  const sched::ForkGate::Hold no_fork;
  close_heap();
  if (log_) log_->close();
}

void OpenPool::close_heap() {
  leave_to_exceptions(heap_);
  recover::leave_pool(heap_);
  wait_for_mark();  // the snapshot says what is free
  recover::before_close(heap_);
  log::replica_sets[mapping_.slot()].close();
  alloc::unregister_heap(heap_);
  heap_.collect_caches();
  if (!mapping_.durable() || mapping_.read_only()) return;
  alloc::Superblocks& superblocks = heap_.superblocks();
  superblocks.give_up_idle_logs(at_close_);
  auto snapshot = alloc::write_snapshot(heap_);
  if (at_close_ == alloc::GiveBack::everything || superblocks.has_surplus()) superblocks.give_back(at_close_);
  if (!snapshot) snapshot = alloc::write_snapshot(heap_);  // the disk may have room now
  if (!snapshot) return;
  const std::uint64_t end =
      mapping_.is_logged() ? superblocks.count() : superblocks.clear_tail(at_close_, snapshot->end());
  mapping_.mark_clean(snapshot->first_superblock, snapshot->bytes, snapshot->checksum, recover::current_run(heap_),
                      end);
}

void OpenPool::sync() {
  if (log_) log_->await(log_->appended());
}

void OpenPool::on_durable(std::function<void(bool)> function) {
  if (log_)
    log_->on_durable(std::move(function));
  else
    function(true);
}

void OpenPool::trim() {
  mapping_.set_kept(0);
  at_close_ = alloc::GiveBack::everything;
  close();
}

void OpenPool::grow(std::uint64_t superblocks) {
  if (const int error = heap_.superblocks().reserve_to(superblocks))
    pool::refuse_errno(error, path(), "reserving " + pool::spell_bytes(superblocks * pool::superblock_bytes));
  mapping_.set_kept(superblocks);
}

OpenPool::~OpenPool() {
  no_fork_.emplace();
  try {
    close();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "perdure: %s The pool will be recovered when it is opened next.\n", error.what());
  }
}

}  // namespace perdure::opening
