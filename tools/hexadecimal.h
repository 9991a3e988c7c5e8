#ifndef PERDURE_TOOLS_HEXADECIMAL_H
#define PERDURE_TOOLS_HEXADECIMAL_H

#include <cstddef>
#include <span>
#include <string>

namespace perdure::tools {

using Bytes = std::span<const std::byte>;

/// Two digits a byte.
inline std::string spell_hexadecimal(Bytes bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[static_cast<unsigned>(byte) / 16];
    text += digits[static_cast<unsigned>(byte) % 16];
  }
  return text;
}

}  // namespace perdure::tools

#endif
