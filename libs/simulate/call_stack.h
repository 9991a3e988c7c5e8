#ifndef PERDURE_SIMULATE_CALL_STACK_H
#define PERDURE_SIMULATE_CALL_STACK_H

#include <array>
#include <string>

namespace perdure::simulate {

/// Return addresses, innermost first; null behind the last.
using CallStack = std::array<const void*, 12>;

/// The calls that the calling thread is in. Kept for good, and the same one for the same calls.
const CallStack* current_call_stack();

/// Where in the user's program it is: the innermost place that is not Perdure's own, as "bank.cc:12 (transfer)".
std::string place_in_program(const CallStack& stack);

}  // namespace perdure::simulate

#endif
