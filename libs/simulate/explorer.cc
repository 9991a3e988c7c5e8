#include "simulate/explorer.h"

#include <algorithm>

#include "pool/format.h"
#include "sched/sole_thread.h"
#include "simulate/faults.h"
#include "simulate/hardware.h"
#include "simulate/tracer.h"

namespace perdure::simulate {
namespace {

/// What opening a pool reads by system calls.
constexpr std::size_t header_bytes = pool::header_copies * pool::page_bytes;

/// Of hardware transactions: some that lock a few places are cut short, most are not.
constexpr unsigned accesses_an_interrupt = 32;

std::size_t first_transaction(const Trace& trace) {
  const auto first = std::ranges::find(trace, Event::Kind::enter, &Event::kind);
  return static_cast<std::size_t>(first - trace.begin());
}

}  // namespace

Explorer::Explorer(Workload& workload, const Plan& plan, const std::filesystem::path& directory)
    : workload_(workload), plan_(plan), directory_(directory), random_(plan.seed) {
  std::filesystem::create_directories(directory);
  for (std::size_t i = 0; i < workload.pools(); ++i)
    paths_.push_back(directory / (std::string(1, static_cast<char>('a' + i)) + ".pool"));
  // A thread asks whether it is alone after a number of transactions, those of earlier runs and checks among them. A
  // run must be the same whatever came before it: so nobody asks, unless the workload wants it.
  sched::patience.first = 0;
}

Explorer::~Explorer() {
  images_.reset();
  for (const auto& path : paths_) std::filesystem::remove(path);
  std::error_code not_empty;
  std::filesystem::remove(directory_, not_empty);
}

Report Explorer::explore() {
  for (const auto& path : paths_) std::filesystem::remove(path);
  {
    Pools pools = open_all(paths_);
    workload_.prepare(pools);
  }
  images_.emplace(paths_);
  for (const Strategy& schedule : plan_.replay ? std::vector{plan_.replay->schedule} : plan_.schedules) {
    case_ = {schedule, std::nullopt, {}};
    run_workload(schedule);
    images_->restore();
    image_hash_ = 0;
    notes_ = {};
    if (plan_.notes_sites) sites_.add(trace_);
    if (plan_.is_left_out) std::erase_if(trace_, plan_.is_left_out);
    report_.events += trace_.size();
    const bool has_threads = scheduler.tasks() > 1;
    if (plan_.replay)
      replay_case();
    else if (plan_.samples != 0)
      sample_trace(has_threads ? plan_.samples / plan_.schedules.size() : plan_.samples);
    else
      explore_trace();
    images_->restore();
    if (!has_threads) break;
  }
  return report_;
}

void Explorer::run_workload(const Strategy& schedule) {
  if (on_case) on_case(case_);
  trace_.clear();
  begin_run_with_fault();
  scheduler.start(schedule);
  hardware.start(schedule.seed, {.accesses_an_interrupt = accesses_an_interrupt});
  tracer.start(trace_, *images_, nullptr);
  workload_.run(paths_);
  tracer.stop();
  scheduler.stop();
}

void Explorer::apply(const Event& event, Persistence& persistence) {
  notes_.apply(event);
  if (event.kind == Event::Kind::fence)
    persistence.settle([&](std::uintptr_t line, const Content& content) {
      const std::uint64_t where = images_->portable(line);
      image_hash_ ^= pool::mix(where, hash_of(images_->line(line))) ^ pool::mix(where, hash_of(content));
      images_->set_line(line, content);
    });
  if (event.kind == Event::Kind::sync) {
    const std::uint64_t where = images_->portable(event.address);
    image_hash_ ^= pool::mix(where, images_->file_size(event.address));
    images_->set_file_size(event.address, persistence.file_size(event.address));
    image_hash_ ^= pool::mix(where, images_->file_size(event.address));
  }
}

void Explorer::explore_trace() {
  Persistence persistence(*images_);
  for (std::size_t i = 0; i < trace_.size(); ++i) {
    const auto stored = persistence.apply(trace_[i]);
    apply(trace_[i], persistence);
    // A flush or a fence leaves no state that was not possible before; nor does a beginning, which only allows more.
    const bool grows = trace_[i].kind == Event::Kind::resize;
    if (!stored && !grows && trace_[i].kind != Event::Kind::acknowledge) continue;
    case_.crashes.assign(1, {i, false, {}});
    explore_state(persistence.crash_state(stored), plan_.depth);
    // Between stores that follow each other a kill changes nothing but how many of them there are.
    const bool among_stores = i + 1 < trace_.size() && trace_[i + 1].kind == Event::Kind::store;
    if (plan_.depth == 1 || !stored || (among_stores && !plan_.every_kill)) continue;
    case_.crashes.assign(1, {i, true, {}});
    explore_kill(persistence);
  }
}

void Explorer::explore_state(const CrashState& state, unsigned depth) {
  if (!is_new(hash_of_state(state), depth)) return;
  Choices choices;
  do {
    const Outcome outcome = try_state(state, choices);
    case_.crashes.back().choices = choices.taken();
    if (depth > 1)
      explore_recovery(Persistence(*images_, outcome.start), std::span(outcome.trace).first(outcome.recovered_at),
                       depth - 1);
  } while (choices.advance());
}

/// What the program stored is there for the next one to see, and is not durable: not when recovery has ended, either,
/// unless that made it so. Hence what the check does is crashed, too.
void Explorer::explore_kill(const Persistence& persistence) {
  constexpr std::uint64_t kill = 0x6b;
  if (!is_new(pool::mix(kill, hash_of_state(persistence.crash_state(std::nullopt))), plan_.depth)) return;
  Choices none;
  const Outcome outcome = try_state(persistence.killed_state(), none);
  Persistence in_recovery = persistence;
  in_recovery.forget_flushes();
  explore_recovery(std::move(in_recovery), outcome.trace, plan_.depth - 1);
}

void Explorer::explore_recovery(Persistence persistence, std::span<const Event> recovery, unsigned depth) {
  const Notes notes = notes_;
  notes_.reopen();
  case_.crashes.emplace_back();
  for (std::size_t i = 0; i < recovery.size(); ++i) {
    const auto stored = persistence.apply(recovery[i]);
    notes_.apply(recovery[i]);
    if (!stored && recovery[i].kind != Event::Kind::acknowledge) continue;
    case_.crashes.back() = {i, false, {}};
    explore_state(persistence.crash_state(stored), depth);
  }
  case_.crashes.pop_back();
  notes_ = notes;
}

/// Half of the samples fall anywhere, half where most is at stake: before a fence and at an acknowledgement.
void Explorer::sample_trace(std::uint64_t samples) {
  std::vector<std::size_t> critical;
  for (std::size_t i = 0; i < trace_.size(); ++i)
    if (trace_[i].kind == Event::Kind::acknowledge ||
        (i + 1 < trace_.size() && trace_[i + 1].kind == Event::Kind::fence))
      critical.push_back(i);
  std::vector<std::uint64_t> draws(trace_.size(), 0);
  for (std::uint64_t i = 0; i < samples; ++i)
    ++draws[i % 2 == 0 && !critical.empty() ? critical[random_() % critical.size()] : random_() % trace_.size()];

  Persistence persistence(*images_);
  for (std::size_t i = 0; i < trace_.size(); ++i) {
    persistence.apply(trace_[i]);
    apply(trace_[i], persistence);
    for (; draws[i] != 0; --draws[i]) {
      case_.crashes.assign(1, {i, false, {}});
      case_.lot = random_();
      ++report_.drawn;
      const CrashState drawn = draw(persistence.crash_state(std::nullopt));
      if (!is_new(hash_of_state(drawn), 1)) continue;
      Choices choices;
      try_state(drawn, choices);
    }
  }
}

CrashState Explorer::draw(CrashState state) const {
  enum class Taste : std::uint8_t { oldest, newest, one_newer, one_older, any };
  std::mt19937_64 lots(*case_.lot);
  const auto taste = static_cast<Taste>(lots() % 5);
  std::size_t odd = state.lines.empty() ? 0 : lots() % state.lines.size();
  for (auto& [line, contents] : state.lines) {
    const bool is_odd = odd-- == 0;
    const std::size_t last = contents.size() - 1;
    std::size_t chosen = 0;
    switch (taste) {
      case Taste::oldest:
        chosen = 0;
        break;
      case Taste::newest:
        chosen = last;
        break;
      case Taste::one_newer:
        chosen = is_odd ? last : 0;
        break;
      case Taste::one_older:
        chosen = is_odd ? 0 : last;
        break;
      case Taste::any:
        chosen = lots() % contents.size();
        break;
    }
    contents = {contents[chosen]};
  }
  for (auto& [pool, sizes] : state.file_sizes) sizes = {sizes[lots() % sizes.size()]};
  return state;
}

void Explorer::replay_case() {
  const std::vector<Case::Crash>& crashes = plan_.replay->crashes;
  if (crashes.empty()) return;  // what went wrong did so without a crash
  Persistence persistence(*images_);
  std::optional<std::uintptr_t> stored;
  for (std::size_t i = 0; i <= crashes.front().event; ++i) {
    stored = persistence.apply(trace_.at(i));
    apply(trace_[i], persistence);
  }
  case_.lot = plan_.replay->lot;
  for (std::size_t i = 0;; ++i) {
    case_.crashes.assign(crashes.begin(), crashes.begin() + static_cast<std::ptrdiff_t>(i + 1));
    CrashState state = crashes[i].killed ? persistence.killed_state()
                       : case_.lot       ? draw(persistence.crash_state(std::nullopt))
                                         : persistence.crash_state(stored);
    Choices choices(crashes[i].choices);
    const Outcome outcome = try_state(state, choices);
    if (i + 1 == crashes.size()) return;
    notes_.reopen();
    if (crashes[i].killed)
      persistence.forget_flushes();
    else
      persistence.begin_after(outcome.start);
    for (std::size_t event = 0; event <= crashes[i + 1].event; ++event) {
      stored = persistence.apply(outcome.trace.at(event));
      notes_.apply(outcome.trace[event]);
    }
  }
}

Explorer::Outcome Explorer::try_state(const CrashState& state, Choices& choices) {
  case_.crashes.back().choices = choices.taken();
  if (on_case) on_case(case_);
  ++report_.states;
  if (case_.crashes.size() > 1) ++report_.nested;
  Outcome outcome;
  Resolver resolver(*images_, state, choices);
  tracer.start(outcome.trace, *images_, &resolver);
  try {
    resolver.resolve_headers(header_bytes);
    workload_.recover_and_check(paths_, notes_);
  } catch (...) {
    tracer.stop();
    images_->undo();
    throw;
  }
  tracer.stop();
  outcome.start = resolver.remaining();
  outcome.recovered_at = first_transaction(outcome.trace);
  if (plan_.notes_sites) sites_.add(outcome.trace);
  if (plan_.is_left_out) {
    const auto recovered = outcome.trace.begin() + static_cast<std::ptrdiff_t>(outcome.recovered_at);
    outcome.recovered_at -=
        static_cast<std::size_t>(std::count_if(outcome.trace.begin(), recovered, plan_.is_left_out));
    std::erase_if(outcome.trace, plan_.is_left_out);
  }
  images_->undo();
  return outcome;
}

bool Explorer::is_new(std::uint64_t state, unsigned depth) {
  unsigned& visited = visited_[state];
  if (visited >= depth) return false;
  visited = depth;
  return true;
}

std::uint64_t Explorer::hash_of_state(const CrashState& state) const {
  std::uint64_t hash = image_hash_ ^ notes_.hash();
  for (const auto& [line, contents] : state.lines) {
    const std::uint64_t where = images_->portable(line);
    const auto hash_at = [&](std::uint64_t content) { return pool::mix(where, content); };
    const std::uint64_t certain = hash_of(images_->line(line));
    std::uint64_t set = contents.size() == 1 ? hash_of(contents.front()) : 0;
    // The contents in any order.
    if (contents.size() > 1)
      for (const Content& content : contents) set += pool::mix(contents.size(), hash_of(content));
    hash ^= hash_at(certain) ^ hash_at(set);
  }
  for (const auto& [pool, sizes] : state.file_sizes)
    for (const std::uint64_t size : sizes) hash += pool::mix(images_->portable(pool) + sizes.size(), size);
  return hash;
}

}  // namespace perdure::simulate
