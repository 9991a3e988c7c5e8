#include "relocate/relocation.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "alloc/snapshot.h"
#include "disk/make_log.h"
#include "disk/recover_image.h"
#include "persist/domain.h"
#include "persist/durable.h"
#include "persist/lines.h"
#include "persist/step.h"
#include "pool/file.h"
#include "pool/refuse.h"
#include "recover/replay_records.h"
#include "relocate/pointer_words.h"

namespace perdure::relocate {
namespace {

/// Addresses from `begin` on. None: 0 bytes.
struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  bool contains(std::uint64_t address) const { return address - begin < bytes; }
};

/// The same place in another slot, whose size may differ: code addresses are those at its end.
std::uint64_t moved(std::uint64_t address, const AddressRange& from, const AddressRange& to) {
  const std::uint64_t offset = address - from.begin;
  const bool is_code = from.bytes > pool::code_area_bytes && offset >= from.bytes - pool::code_area_bytes;
  return to.begin + offset + (is_code ? to.bytes - from.bytes : 0);
}

/// What a pool's pointers are like before it is moved.
struct Survey {
  pool::SlotSet slots_led_to{};       ///< of this program's window
  std::uint64_t unsure = 0;           ///< words
  std::uint64_t first_unsure = 0;     ///< its offset in the pool
  bool unsure_type_is_known = false;  ///< of the block that it is in

  void add(const Survey& other) {
    slots_led_to |= other.slots_led_to;
    if (unsure == 0 || (other.unsure != 0 && other.first_unsure < first_unsure)) {
      first_unsure = other.first_unsure;
      unsure_type_is_known = other.unsure_type_is_known;
    }
    unsure += other.unsure;
  }
};

struct Counts {
  std::uint64_t moved = 0;
  std::uint64_t cleared = 0;
  std::uint64_t to_other_pools = 0;

  void add(const Counts& other) {
    moved += other.moved;
    cleared += other.cleared;
    to_other_pools += other.to_other_pools;
  }
};

constexpr auto note_line = [](std::uintptr_t line) {
  persistence::note_change(reinterpret_cast<const void*>(line), persistence::line_bytes);
};

class Relocation {
 public:
  Relocation(const std::filesystem::path& path, const RelocationOptions& options)
      : options_(options), mapping_(pool::Mapping::open_for_moving(path)), heap_(mapping_) {}

  RelocationReport run() {
    require_closed();
    from_ = {header().address, header().slot_bytes};
    report_.from = from_.begin;
    report_.completed = is_moving();
    if (is_moving()) {
      to_ = {header().moving_to, header().moving_to_slot_bytes};
      require_sound_roots();
      persistence::perform<persistence::Step::moving_header_settled>([&] { mapping_.continue_move(); });
      rewrite_all();
    } else if (is_where_it_should_be()) {
      report_.to = report_.from;
      return report_;
    } else {
      begin();
    }
    report_.to = to_.begin;
    mapping_.end_move();
    report_.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
    return report_;
  }

 private:
  const pool::Header& header() const { return mapping_.header(); }
  bool is_moving() const { return (header().incompatible_features & pool::moving) != 0; }
  bool is_where_it_should_be() const {
    return options_.slot && header().address == reinterpret_cast<std::uintptr_t>(pool::slot_address(*options_.slot));
  }

  /// Which blocks are in use must be known, and no log may hold addresses that recovery would write to. While the pool
  /// is being moved its header's copies may differ, but it was clean, in both.
  void require_closed() {
    recover::require_sound_watermark(heap_);
    const pool::Header& found = header();
    const bool is_of_last_run = found.run == 0 || found.run == recover::current_run(heap_);
    const bool is_closed = found.state == pool::State::clean && is_of_last_run &&
                           (is_moving() || !mapping_.header_needs_repair()) &&
                           load_snapshot(heap_, {found.snapshot, found.snapshot_bytes, found.snapshot_checksum});
    if (!is_closed)
      refuse(
          "it was not closed by its last user. Recover it in a process in which its address is free: perdure recover");
  }

  [[noreturn]] void refuse(const std::string& why) const {
    pool::refuse(
        PoolError::Kind::address_taken, mapping_.path(),
        "lives at address " + pool::spell_address(header().address) + ", and cannot be moved to another one: " + why);
  }

  /// Finds the address to move to, and says so in the header. No pointer may lead there yet: if a crash cuts the move
  /// short, those that do have been rewritten.
  void begin() {
    require_sound_roots();
    const Survey survey = look_at_all();
    if (survey.unsure != 0 && options_.unsure == UnsureWords::refuse) refuse_unsure(survey);
    std::byte* const to = choose_address(survey.slots_led_to);
    to_ = {reinterpret_cast<std::uintptr_t>(to), mapping_.slot_count() * pool::slot_bytes};
    persistence::in_order<persistence::Step::header_before_rewrite>(
        [&] { mapping_.begin_move(to, options_.unsure == UnsureWords::move); }, [&] { rewrite_all(); });
  }

  std::byte* choose_address(const pool::SlotSet& slots_led_to) {
    if (options_.slot) {
      if (*options_.slot + mapping_.slot_count() > pool::slot_count)
        refuse("it takes " + pool::spell_bytes(mapping_.slot_count() * pool::slot_bytes) +
               " of address space, which end before that. Choose a lower address.");
      if (leads_there(slots_led_to, *options_.slot))
        refuse("pointers in it lead to address " +
               pool::spell_address(reinterpret_cast<std::uintptr_t>(pool::slot_address(*options_.slot))) +
               " already. Choose another address.");
      return pool::slot_address(*options_.slot);
    }
    const bool is_suitable =
        !leads_there(slots_led_to, mapping_.slot()) && mapping_.base() != reinterpret_cast<void*>(from_.begin);
    if (is_suitable) return mapping_.base();
    return pool::Slot::claim_any(mapping_.slot() + 1, mapping_.slot_count(), mapping_.path(), slots_led_to).address();
  }

  bool leads_there(const pool::SlotSet& slots_led_to, std::size_t first) const {
    for (std::size_t slot = first; slot < first + mapping_.slot_count(); ++slot)
      if (slots_led_to[slot]) return true;
    return false;
  }

  [[noreturn]] void refuse_unsure(const Survey& survey) const {
    refuse(std::to_string(survey.unsure) +
           " words hold addresses of its blocks, but nothing says whether they are "
           "pointers. The first, at offset " +
           std::to_string(survey.first_unsure) + " of the file, is " +
           (survey.unsure_type_is_known ? "an integer, part of a union, or memory for anything"
                                        : "in a block whose type is not known (allocated by malloc, or by a program "
                                          "without the plugin's layouts)") +
           ". Say what they are: perdure relocate --unsure move, or --unsure keep.");
  }

  Survey look_at_all() {
    Survey survey = in_all_superblocks<Survey>([this](std::uint64_t superblock, Survey& found) {
      const alloc::BlockLayout* const layout = layout_of(superblock);
      for_each_block_in_use(heap_, superblock, [&](std::span<std::byte> block) {
        for_each_pointer_word(block, layout, [&](std::uint64_t& word, bool is_pointer) {
          if (is_pointer)
            note_slot(word, found);
          else if (leads_to_block(word))
            found.add({.unsure = 1, .first_unsure = offset_of(word), .unsure_type_is_known = layout != nullptr});
        });
      });
    });
    for (const roots::Root& root : mapping_.root_table().roots)
      note_slot(reinterpret_cast<std::uintptr_t>(root.object), survey);
    return survey;
  }

  static void note_slot(std::uint64_t address, Survey& survey) {
    const auto* const pointer = reinterpret_cast<const void*>(address);
    if (pool::in_window(pointer)) survey.slots_led_to.set(pool::single_slot_of(pointer));
  }

  void rewrite_all() {
    const bool moves_unsure = header().moves_unsure != 0;
    // A process that was killed may have rewritten words and not flushed them.
    const bool settles = persistence::value<persistence::Step::moved_words_settled>(report_.completed);
    Counts counts =
        in_all_superblocks<Counts>([this, moves_unsure, settles](std::uint64_t superblock, Counts& counted) {
          const alloc::BlockLayout* const layout = layout_of(superblock);
          persistence::LinesInProgress changed(note_line);
          for_each_block_in_use(heap_, superblock, [&](std::span<std::byte> block) {
            for_each_pointer_word(block, layout, [&](std::uint64_t& word, bool is_pointer) {
              const bool is_changed =
                  is_pointer ? rewrite(word, counted) : moves_unsure && rewrite_unsure(word, counted);
              if (is_changed || settles) changed.changed(reinterpret_cast<std::uintptr_t>(&word));
            });
          });
        });
    {
      persistence::LinesInProgress changed(note_line);
      for (roots::Root& root : mapping_.root_table().roots)
        if (rewrite(reinterpret_cast<std::uint64_t&>(root.object), counts) || settles)
          changed.changed(reinterpret_cast<std::uintptr_t>(&root.object));
    }
    persistence::complete_changes();
    report_.pointers_moved = counts.moved;
    report_.pointers_cleared = counts.cleared;
    report_.pointers_to_other_pools = counts.to_other_pools;
  }

  /// Otherwise a damaged root would be taken for a pointer out of the pool, and lost.
  void require_sound_roots() const {
    for (const roots::Root& root : mapping_.root_table().roots) {
      const auto address = reinterpret_cast<std::uintptr_t>(root.object);
      const std::uint64_t offset = to_.contains(address) ? address - to_.begin : address - from_.begin;
      if (root.object != nullptr && !is_in_block_in_use(heap_, offset))
        pool::refuse(PoolError::Kind::damaged, mapping_.path(),
                     "root number " + std::to_string(&root - mapping_.root_table().roots.data()) +
                         " is damaged. Restore the file from a backup.");
    }
  }

  /// \returns whether the word has changed. Doing it again changes nothing: what leads to the new address was
  /// rewritten.
  bool rewrite(std::uint64_t& word, Counts& counted) const {
    const std::uint64_t address = word;
    if (address == 0 || to_.contains(address)) return false;
    if (from_.contains(address)) {
      word = moved(address, from_, to_);
      ++counted.moved;
      return true;
    }
    if (is_of_this_window() && pool::in_window(reinterpret_cast<const void*>(address))) {
      ++counted.to_other_pools;
      return false;
    }
    word = 0;
    ++counted.cleared;
    return true;
  }

  bool rewrite_unsure(std::uint64_t& word, Counts& counted) const {
    return leads_to_block(word) && rewrite(word, counted);
  }

  bool leads_to_block(std::uint64_t address) const {
    return from_.contains(address) && (is_in_block_in_use(heap_, address - from_.begin) || leads_to_code(address));
  }

  bool leads_to_code(std::uint64_t address) const {
    const std::uint64_t begin = from_.bytes - pool::code_area_bytes;
    const std::uint64_t offset = address - from_.begin;
    return offset >= begin && heap_.codes().is_code(static_cast<std::uint32_t>(offset - begin));
  }

  /// Slots mean something in one window only.
  bool is_of_this_window() const {
    return header().window_base == pool::window_base && header().slot_bytes % pool::slot_bytes == 0;
  }

  const alloc::BlockLayout* layout_of(std::uint64_t superblock) const {
    return heap_.layouts().get(heap_.superblocks().layout(superblock));
  }
  std::uint64_t offset_of(const std::uint64_t& word) const {
    return static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&word) - mapping_.base());
  }

  /// Calls `work(superblock, result)` for each superblock, in all processors, and adds up the results. What a thread
  /// has flushed is durable when it is done.
  template <class Result, class Work>
  Result in_all_superblocks(const Work& work) {
    constexpr std::uint64_t step = 64;
    std::atomic<std::uint64_t> next{pool::first_superblock};
    const std::uint64_t end = heap_.superblocks().count();
    const auto run = [&](Result& result) {
      for (std::uint64_t begin = next.fetch_add(step); begin < end; begin = next.fetch_add(step))
        for (std::uint64_t number = begin; number < std::min(begin + step, end); ++number) work(number, result);
      persistence::complete_changes();
    };
    const std::size_t threads =
        persistence::is_simulated ? 1 : std::clamp<std::size_t>(end / step, 1, std::thread::hardware_concurrency());
    std::vector<Result> results(threads);
    std::vector<std::thread> others;
    try {
      while (others.size() + 1 < threads) others.emplace_back(run, std::ref(results[others.size() + 1]));
    } catch (const std::system_error&) {
      // This thread does their work.
    }
    run(results.front());
    for (std::thread& other : others) other.join();
    Result sum;
    for (const Result& result : results) sum.add(result);
    return sum;
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  const RelocationOptions options_;
  pool::Mapping mapping_;
  mutable alloc::Heap heap_;
  AddressRange from_;
  AddressRange to_;
  RelocationReport report_;
};

}  // namespace

RelocationReport relocate(const std::filesystem::path& path, const RelocationOptions& options) {
  if (disk::has_log(path)) {
    // Afterwards the log is empty, and the file is the whole pool. What is moved is changed in the file.
    const auto locked = pool::File::open(path, pool::File::Access::writing);
    disk::recover_image(path);
  }
  return Relocation(path, options).run();
}

}  // namespace perdure::relocate
