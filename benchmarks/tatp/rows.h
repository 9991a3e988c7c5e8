#ifndef PERDURE_BENCHMARKS_TATP_ROWS_H
#define PERDURE_BENCHMARKS_TATP_ROWS_H

#include <array>
#include <cstddef>
#include <cstdint>

#include "common/text.h"
#include "structures/key.h"

/// The rows of TATP 1.0 (its description, section 1), with every field, and the keys they are found by.
namespace perdure::benchmarks::tatp {

using PhoneNumber = Text<15>;  // decimal digits

struct Subscriber {
  std::uint32_t id;
  PhoneNumber number;
  std::array<std::uint8_t, 10> bits;    // 0 or 1
  std::array<std::uint8_t, 10> digits;  // 0 to 15
  std::array<std::uint8_t, 10> bytes;
  std::uint32_t switching_center;  // MSC_LOCATION
  std::uint32_t visited_location;  // VLR_LOCATION
};

struct AccessInfo {
  std::uint32_t subscriber_id;
  std::uint8_t type;  // 1 to 4
  std::uint8_t data_1;
  std::uint8_t data_2;
  Text<3> data_3;
  Text<5> data_4;
};

struct SpecialFacility {
  std::uint32_t subscriber_id;
  std::uint8_t type;  // 1 to 4
  bool is_active;
  std::uint8_t error_control;
  std::uint8_t data_a;
  Text<5> data_b;
};

struct CallForwarding {
  std::uint32_t subscriber_id;
  std::uint8_t facility_type;
  std::uint8_t start_time;  // 0, 8 or 16
  std::uint8_t end_time;    // 1 to 8 hours later
  PhoneNumber number;
};

inline constexpr std::uint32_t types = 4;  // of access and of facilities
inline constexpr std::uint32_t start_times = 3;
inline constexpr std::uint32_t hours_between_start_times = 8;

/// The number of a subscriber: its identifier with leading zeros.
inline PhoneNumber number_of(std::uint32_t subscriber) {
  PhoneNumber number;
  for (std::size_t i = number.size(); i > 0; --i) {
    number[i - 1] = static_cast<char>('0' + subscriber % 10);
    subscriber /= 10;
  }
  return number;
}

/// The whole number in one word, four bits a digit: numbers differ when their keys do.
inline Key number_key(const PhoneNumber& number) {
  Key key = 0;
  for (const char digit : number) key = key << 4 | static_cast<Key>(digit - '0');
  return key;
}

constexpr Key subscriber_key(std::uint32_t subscriber) { return subscriber; }

/// Of an access info or a special facility.
constexpr Key typed_key(std::uint32_t subscriber, std::uint32_t type) { return Key{subscriber} << 2 | (type - 1); }

constexpr Key forwarding_key(std::uint32_t subscriber, std::uint32_t type, std::uint32_t start_time) {
  return typed_key(subscriber, type) << 2 | start_time / hours_between_start_times;
}

}  // namespace perdure::benchmarks::tatp

#endif
