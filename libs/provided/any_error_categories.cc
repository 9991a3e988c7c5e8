// What the virtual function `message` of the standard error categories leads to in transactions
// (entry/library_rows.cc). Compiled with the plugin.
#include "error_message.h"

namespace perdure::provided {

[[perdure::implements("perdure_message_of_category")]] std::string message(const std::error_category* category,
                                                                           int value) {
  return message_of(*category, value);
}

}  // namespace perdure::provided
