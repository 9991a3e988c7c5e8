#ifndef PERDURE_PROVIDED_ERROR_MESSAGE_H
#define PERDURE_PROVIDED_ERROR_MESSAGE_H

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>

#include "perdure/attributes.h"

namespace perdure::provided {

inline constexpr std::size_t most_of_message = 256;

/// \returns the length of what it writes, to the frame of the caller.
PERDURE_PURE inline std::size_t print_message(const std::error_category& category, int value, char* text) {
  const std::string message = category.message(value);
  const std::size_t size = std::min(message.size(), most_of_message);
  std::memcpy(text, message.data(), size);
  return size;
}

/// As a string of the transaction.
inline std::string message_of(const std::error_category& category, int value) {
  char text[most_of_message];
  const std::size_t size = print_message(category, value, text);
  return std::string(text, size);
}

}  // namespace perdure::provided

#endif
