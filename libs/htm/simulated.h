#ifndef PERDURE_HTM_SIMULATED_H
#define PERDURE_HTM_SIMULATED_H

#include <bit>
#include <cstdint>

#include "htm/transaction.h"

namespace perdure::simulate {
/// Defined by the simulator (libs/simulate/hardware.cc), which stands above all layers. The transaction is the calling
/// thread's; any of these but the first may throw its abort.
void begin_in_hardware();
void commit_in_hardware();
void require_unharmed_in_hardware();
bool is_unharmed_in_hardware();
std::uint64_t load_in_hardware(const void* word);
void store_in_hardware(void* word, std::uint64_t value);
[[noreturn]] void give_up_in_hardware(std::uint8_t code);

/// Thrown where a processor would go back to the begin.
struct HardwareAbort {
  std::uint32_t status;
};
}  // namespace perdure::simulate

namespace perdure::htm {

/// The processor of the `…_sim` libraries: the simulator's model, in which threads run one at a time.
struct Simulated {
  static bool is_offered() { return true; }

  template <class Body>
  static Status attempt(Body&& body) {
    begin();
    return commit(body);
  }

  static Status begin() {
    simulate::begin_in_hardware();
    return Status::running();
  }
  template <class Last>
  static Status commit(Last&& last) {
    try {
      last();
      simulate::commit_in_hardware();
      return Status::committed();
    } catch (const simulate::HardwareAbort& abort) {
      return Status(abort.status);
    }
  }
  /// Nothing that `action` has read is used when others have changed it meanwhile.
  template <class Action, class Otherwise>
  static auto within(Action&& action, Otherwise&& otherwise) {
    std::uint32_t status = Status::other;
    try {
      const auto result = action();
      simulate::require_unharmed_in_hardware();
      return result;
    } catch (const simulate::HardwareAbort& abort) {
      status = abort.status;
    }
    otherwise(Status(status));
    __builtin_unreachable();  // it goes back to where the attempt began
  }
  static bool is_unharmed() { return simulate::is_unharmed_in_hardware(); }

  template <class T>
  static T load(const T& word) {
    return std::bit_cast<T>(simulate::load_in_hardware(&word));
  }
  template <class T>
  static void store(T& word, T value) {
    simulate::store_in_hardware(&word, std::bit_cast<std::uint64_t>(value));
  }

  template <std::uint8_t code>
  [[noreturn]] static void give_up() {
    simulate::give_up_in_hardware(code);
  }
};
static_assert(Processor<Simulated>);

}  // namespace perdure::htm

#endif
