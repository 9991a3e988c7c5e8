#include "event_log.h"

#include <algorithm>
#include <array>
#include <chrono>

namespace perdure::benchmarks::memcached {
namespace {

struct Named {
  std::string_view name;
  Streams streams;
};

constexpr std::array names{
    Named{"fetchers", fetchers},     Named{"mutations", mutations}, Named{"evictions", evictions},
    Named{"connevents", connevents}, Named{"deletions", deletions}, Named{"sysevents", silent},
    Named{"rawcmds", silent},        Named{"proxyreqs", silent},    Named{"proxyevents", silent},
    Named{"proxyuser", silent},
};

// Microseconds with all their zeros, without which memcached 1.6 writes them: so that the time is a decimal fraction.
std::string now_as_text() {
  constexpr std::int64_t second = 1'000'000;
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
  return std::to_string(microseconds / second) + "." + std::to_string(second + microseconds % second).substr(1);
}

}  // namespace

std::optional<Streams> streams_named(const std::vector<std::string_view>& words) {
  if (words.empty()) return fetchers;
  Streams streams = 0;
  for (const auto word : words) {
    const auto* const named =
        std::find_if(names.begin(), names.end(), [&](const Named& it) { return it.name == word; });
    if (named == names.end()) return std::nullopt;
    streams |= named->streams;
  }
  return streams;
}

EventLog::Watcher::~Watcher() { log_.forget(this); }

void EventLog::Watcher::take(std::string& text) {
  text.clear();
  const std::scoped_lock lock(log_.mutex_);
  text.swap(waiting_);
  if (skipped_ > 0) text += "skipped=" + std::to_string(skipped_) + "\n";
  skipped_ = 0;
}

std::unique_ptr<EventLog::Watcher> EventLog::watch(Streams streams, std::function<void()> wake) {
  std::unique_ptr<Watcher> watcher(new Watcher(*this, streams, std::move(wake)));
  {
    const std::scoped_lock lock(mutex_);
    if (watchers_.size() < most_watchers) {
      watchers_.push_back(watcher.get());
      note_watched();
      return watcher;
    }
  }
  return nullptr;
}

void EventLog::forget(const Watcher* watcher) {
  const std::scoped_lock lock(mutex_);
  std::erase(watchers_, watcher);
  note_watched();
}

void EventLog::note_watched() {
  Streams streams = 0;
  for (const Watcher* const watcher : watchers_) streams |= watcher->streams_;
  watched_.store(streams, std::memory_order_relaxed);
}

void EventLog::publish(Streams stream, std::string_view fields) {
  const std::scoped_lock lock(mutex_);
  std::string line = "ts=" + now_as_text() + " gid=" + std::to_string(++last_number_) + " ";
  line += fields;
  line += '\n';
  ++totals_.written;
  for (Watcher* const watcher : watchers_) {
    if ((watcher->streams_ & stream) == 0) continue;
    // Once one is dropped, all are until the buffer is taken: how many is told in their place.
    if (watcher->skipped_ > 0 || watcher->waiting_.size() + line.size() > most_waiting_bytes) {
      ++watcher->skipped_;
      ++totals_.skipped;
      continue;
    }
    const bool is_first = watcher->waiting_.empty();
    watcher->waiting_ += line;
    ++totals_.sent;
    if (is_first) watcher->wake_();
  }
}

void EventLog::reset_totals() {
  const std::scoped_lock lock(mutex_);
  totals_ = {};
}

EventLog::Totals EventLog::totals() const {
  const std::scoped_lock lock(mutex_);
  Totals totals = totals_;
  totals.watchers = watchers_.size();
  return totals;
}

}  // namespace perdure::benchmarks::memcached
