#include "simulate/program_under_test.h"

#include "alloc/heap.h"
#include "perdure/crashtest.h"
#include "simulate/disk_exploration.h"

extern "C" {
[[gnu::weak]] int perdure_crash_workload(const char* pool);
[[gnu::weak]] int perdure_crash_check(const char* pool);
}

namespace perdure::simulate {
namespace {

constexpr std::uint64_t client = 1;

/// What the check may ask for; null while the workload runs.
const Notes* notes_of_check = nullptr;

void require_success(const char* function, int result) {
  require(result == 0, std::string(function) + " returned " + std::to_string(result));
  require(alloc::current_heap() == nullptr, std::string(function) + " has left a pool open; it must close it");
}

}  // namespace

bool ProgramUnderTest::is_defined() { return perdure_crash_workload != nullptr && perdure_crash_check != nullptr; }

void ProgramUnderTest::run(const Paths& paths) {
  notes_of_check = nullptr;
  require_success("without any crash, perdure_crash_workload", perdure_crash_workload(paths.front().c_str()));
}

void ProgramUnderTest::recover_and_check(const Paths& paths, const Notes& notes) {
  notes_of_check = &notes;
  require_success("perdure_crash_check", perdure_crash_check(paths.front().c_str()));
}

}  // namespace perdure::simulate

extern "C" {

void perdure_crash_acknowledge(unsigned long long step) {
  if (!perdure::simulate::acknowledge_on_disk(step)) perdure::simulate::acknowledge(perdure::simulate::client, step);
}

unsigned long long perdure_crash_acknowledged() {
  if (const auto noted = perdure::simulate::acknowledged_on_disk()) return *noted;
  const auto* const notes = perdure::simulate::notes_of_check;
  return notes == nullptr ? 0 : notes->acknowledged(perdure::simulate::client);
}

}  // extern "C"
