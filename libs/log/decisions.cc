#include "log/decisions.h"

#include <algorithm>
#include <bit>

#include "persist/durable.h"
#include "pool/checksum.h"

namespace perdure::log {

std::uint64_t Decision::right_checksum() const {
  return std::max<std::uint64_t>(1, pool::checksum(&transaction, bytes() - offsetof(Decision, transaction)));
}

std::size_t Decision::bytes() const {
  return offsetof(Decision, participants) + participant_count * sizeof(Participant);
}

bool Decision::counts() const {
  return checksum != 0 && participant_count <= participants.size() && checksum == right_checksum();
}

bool Decision::has(const Participant& participant) const {
  const auto end = participants.begin() + static_cast<std::ptrdiff_t>(participant_count);
  return std::find(participants.begin(), end, participant) != end;
}

void Decisions::open(DecisionPage& page, std::uint64_t run, bool was_used) {
  page_ = &page;
  run_ = run;
  numbers_.store(0, std::memory_order_relaxed);
  Places found = 0;
  for (std::size_t place = 0; was_used && place < page.decisions.size(); ++place)
    if (page.decisions[place].counts()) found |= Places{1} << place;
  left_over_.store(found, std::memory_order_relaxed);
  taken_.store(found, std::memory_order_relaxed);
}

std::optional<std::size_t> Decisions::take() {
  Places taken = taken_.load(std::memory_order_relaxed);
  for (;;) {
    const auto place = static_cast<std::size_t>(std::countr_one(taken));
    if ((all_places >> place & 1) == 0) return std::nullopt;
    // Acquire pairs with the release in `give_back`: what the last user stored there comes before what this one stores.
    if (taken_.compare_exchange_weak(taken, taken | Places{1} << place, std::memory_order_acquire)) return place;
  }
}

void Decisions::give_back(std::size_t place) { taken_.fetch_and(~(Places{1} << place), std::memory_order_release); }

void Decisions::drop(std::size_t place) {
  // Needs no fence: a decision that nobody asks for does no harm, and what is stored there next makes it invalid.
  std::atomic_ref(page_->decisions[place].checksum).store(0, std::memory_order_release);
  persistence::note_change(&page_->decisions[place].checksum, sizeof(Decision::checksum));
  left_over_.fetch_and(~(Places{1} << place), std::memory_order_relaxed);
  give_back(place);
}

}  // namespace perdure::log
