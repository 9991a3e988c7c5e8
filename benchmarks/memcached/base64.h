#ifndef PERDURE_BENCHMARKS_MEMCACHED_BASE64_H
#define PERDURE_BENCHMARKS_MEMCACHED_BASE64_H

#include <optional>
#include <string>
#include <string_view>

/// Base64 (RFC 4648, section 4), in which meta commands write binary keys.
namespace perdure::benchmarks::memcached {

std::string base64_of(std::string_view bytes);

/// \returns nothing if the text is empty or no base64 with its padding.
std::optional<std::string> bytes_of_base64(std::string_view text);

}  // namespace perdure::benchmarks::memcached

#endif
