#include "store.h"

#include <perdure/perdure.h>

#include "trim.h"

namespace perdure::stores {
namespace {

std::size_t bytes_of(const Change& change) { return change.key.size() + change.value.size(); }

/// Without waiting for what the transactions before have changed.
Retained* first_of(const RetainedLists::List& list) {
  return TM_BEGIN {
    acknowledge(Acknowledgement::relaxed);
    return list.first;
  } TM_END;
}

/// How many of the changes go into one transaction: one at least.
std::size_t fitting(std::span<const Change> changes, const Portion& portion) {
  std::size_t count = 0, bytes = 0;
  while (count < changes.size() && count < portion.changes) {
    bytes += bytes_of(changes[count]);
    if (count > 0 && bytes > portion.bytes) break;
    ++count;
  }
  return count;
}

}  // namespace

Store::Store(const std::filesystem::path& file, KeyOrder order, std::string_view comparator, const OpenOptions& options,
             Recovery recovery, Portion portion)
    : order_(order), portion_(portion), pool_(Pool::open(file, options)), root_(&pool_.root<Root>("store")) {
  const PoolScope scope(pool_);
  set_comparator(comparator);
  if (recovery == Recovery::at_once) recover();
}

Store::~Store() = default;

void Store::set_comparator(std::string_view name) {
  Root& root = *root_;
  const char* const data = name.data();
  const std::size_t size = name.size();
  const Cell* const known = TM_BEGIN {
    if (root.comparator == nullptr) root.comparator = make_entry(Kind::separator, 0, data, size, nullptr, 0);
    return root.comparator;
  } TM_END;
  if (key_of(known) != name) throw OtherOrder{std::string(key_of(known))};
}

bool Store::try_write(std::span<const Change> changes, Acknowledgement how, Kept& kept) {
  const Target target = this->target();
  const Change* const all = changes.data();
  const std::size_t count = changes.size();
  return TM_BEGIN {
    Tree& tree = target.root.tree;
    begin_keeping(kept);
    if (tree.batch_is_open != 0) return false;
    acknowledge(how);
    const Stamp now = stamp_for_writing(tree);
    for (std::size_t i = 0; i < count; ++i) apply(target, change_at(all, i), now, kept);
    return true;
  } TM_END;
}

void Store::write(std::span<const Change> changes, Acknowledgement how) {
  const PoolScope scope(pool_);
  if (how == Acknowledgement::relaxed && !is_relaxed_.load(std::memory_order_relaxed)) is_relaxed_ = true;
  if (fitting(changes, portion_) < changes.size()) return write_large(changes, how);
  Kept kept;
  while (!try_write(changes, how, kept)) const std::lock_guard until_it_is_closed(batch_);
  hand_over(kept);
}

bool Store::read(std::string_view key, Stamp at, std::string& value) {
  const Tree& tree = root_->tree;
  const Sought sought{&order_, key};
  std::string* const result = &value;
  const bool is_relaxed = is_relaxed_.load(std::memory_order_relaxed);
  return TM_BEGIN {
    if (is_relaxed) acknowledge(Acknowledgement::relaxed);
    const Stamp moment = at == latest ? visible_now(tree) : at;
    const Leaf* const leaf = leaf_of(tree, sought);
    const Position found = find_position(*leaf, sought);
    if (!found.is_there) return false;
    const Cell* const entry = visible_in(leaf->cell_at(leaf->head.order, found.position), moment);
    if (entry == nullptr || kind_of(entry) != Kind::value) return false;
    // Nothing is read behind this, so the attempt commits.
    copy_value(*result, entry);
    return true;
  } TM_END;
}

void Store::read_upwards(const Start& start, Stamp moment, unsigned leaves, Harvest& harvest) {
  const Tree& tree = root_->tree;
  const KeyOrder& order = order_;
  const Start begin = start;
  const bool is_relaxed = is_relaxed_.load(std::memory_order_relaxed);
  TM_BEGIN {
    if (is_relaxed) acknowledge(Acknowledgement::relaxed);
    harvest_upwards(tree, order, begin, moment, leaves, harvest);
  } TM_END;
}

void Store::read_downwards(const Start& start, Stamp moment, unsigned leaves, Harvest& harvest) {
  const Tree& tree = root_->tree;
  const KeyOrder& order = order_;
  const Start begin = start;
  const bool is_relaxed = is_relaxed_.load(std::memory_order_relaxed);
  TM_BEGIN {
    if (is_relaxed) acknowledge(Acknowledgement::relaxed);
    harvest_downwards(tree, order, begin, moment, leaves, harvest);
  } TM_END;
}

// -- readers of the past

Stamp Store::begin_reading() {
  const std::lock_guard lock(readers_.beginning());
  const Tree& tree = root_->tree;
  Stamp now = 0;
  bool is_new = false, batch_is_open = false;
  TM_BEGIN {
    acknowledge(Acknowledgement::relaxed);  // it tells nobody what it has seen
    now = tree.now;
    is_new = tree.written == now;
    batch_is_open = tree.batch_is_open != 0;
  } TM_END;
  // Nothing was written since that moment began, or a batch is open since then, which is its reader.
  if ((batch_is_open || !is_new) && readers_.add(now - 1, Readers::How::join)) return now - 1;
  return begin_moment(false);
}

/// With the lock of who begins moments. What is written from now on has a later stamp than what this reader sees.
Stamp Store::begin_moment(bool opens_batch) {
  const PoolScope scope(pool_);
  Tree& tree = root_->tree;
  const Stamp moment = TM_BEGIN {
    acknowledge(Acknowledgement::relaxed);
    return tree.now;
  } TM_END;
  readers_.add(moment, Readers::How::begin);  // before the transaction that later writers see (readers.h)
  try {
    TM_BEGIN {
      acknowledge(Acknowledgement::relaxed);
      tree.now = moment + 1;
      if (opens_batch) {
        tree.batch_is_open = 1;
        tree.written = moment + 1;
      }
    } TM_END;
  } catch (...) {
    readers_.remove(moment);
    throw;
  }
  return moment;
}

void Store::end_reading(Stamp moment) {
  const PoolScope scope(pool_);
  for (Retained* const retained : readers_.remove(moment)) free_or_keep(retained, moment);
}

void Store::hand_over(const Kept& kept) {
  for (const auto& [retained, reader] : kept.all())
    if (!readers_.keep(reader, retained)) free_or_keep(retained, reader);
}

/// Its reader has gone. An earlier one may see it, too.
void Store::free_or_keep(Retained* retained, Stamp gone) {
  for (;;) {
    const Stamp earlier = readers_.latest_between(retained->older, gone);
    if (earlier == 0) return trim_and_forget(retained);
    if (readers_.keep(earlier, retained)) return;
  }
}

void Store::trim_and_forget(Retained* retained) {
  const Target target = this->target();
  TM_BEGIN {
    acknowledge(Acknowledgement::relaxed);
    const Sought sought{&target.order, key_of_fence(retained->key)};
    trim(target, sought);
    forget(target.root.retained, retained);
  } TM_END;
}

// -- batches of more than one transaction

void Store::write_large(std::span<const Change> changes, Acknowledgement how) {
  const std::lock_guard lock(batch_);
  const Stamp before = open_batch();
  try {
    for (auto rest = changes; !rest.empty();) {
      const std::size_t count = fitting(rest, portion_);
      write_part(rest.first(count), before + 1);
      rest = rest.subspan(count);
    }
    close_batch(how);
  } catch (...) {
    take_back(changes);
    close_batch(how);
    end_reading(before);
    throw;
  }
  end_reading(before);
}

Stamp Store::open_batch() {
  const std::lock_guard lock(readers_.beginning());
  return begin_moment(true);
}

void Store::write_part(std::span<const Change> changes, Stamp now) {
  const Target target = this->target();
  const Change* const all = changes.data();
  const std::size_t count = changes.size();
  Kept kept;
  TM_BEGIN {
    acknowledge(Acknowledgement::relaxed);
    begin_keeping(kept);
    for (std::size_t i = 0; i < count; ++i) apply(target, change_at(all, i), now, kept);
  } TM_END;
  hand_over(kept);
}

/// With the lock of who begins moments: nobody joins the moment before the batch any more, once this has gone.
void Store::close_batch(Acknowledgement how) {
  const std::lock_guard lock(readers_.beginning());
  Tree& tree = root_->tree;
  TM_BEGIN {
    acknowledge(how);
    tree.batch_is_open = 0;
  } TM_END;
}

void Store::take_back(std::span<const Change> changes) {
  const Target target = this->target();
  for (const Change& change : changes) {
    const Sought sought{&target.order, change.key};
    TM_BEGIN {
      acknowledge(Acknowledgement::relaxed);
      stores::take_back(target, sought);
    } TM_END;
  }
}

// -- after a crash

/// There are no readers any more, and a batch that is open never happened.
void Store::recover() {
  const PoolScope scope(pool_);
  Root& root = *root_;
  if (TM_BEGIN { return root.tree.batch_is_open != 0; } TM_END) take_back_open_batch();
  for (auto& list : root.retained.lists)
    while (Retained* const first = first_of(list)) trim_and_forget(first);
}

void Store::take_back_open_batch() {
  const Target target = this->target();
  const Stamp now = TM_BEGIN { return target.root.tree.now; } TM_END;
  Harvest harvest;
  for (std::string key; !harvest.is_all; key = harvest.next) {
    const Start start{key, key.empty(), true};
    const KeyOrder& order = order_;
    TM_BEGIN { harvest_stamped(target.root.tree, order, start, now, harvest); } TM_END;
    std::vector<std::string> keys;
    for (const Cell* const entry : harvest.entries) keys.emplace_back(key_of(entry));
    for (const std::string& each : keys) {
      const Change change{Kind::deletion, each, {}};
      take_back({&change, 1});
    }
  }
  close_batch(Acknowledgement::sync);
}

}  // namespace perdure::stores
