#ifndef PERDURE_TESTS_TOOLS_TYPED_OBJECTS_H
#define PERDURE_TESTS_TOOLS_TYPED_OBJECTS_H

#include <array>
#include <cstdint>

#include "c_objects.h"

/// Objects of every kind that `perdure dump --program` shows, with values that their tests expect.
namespace bank {

enum class Kind : std::uint8_t { checking = 1, savings = 255 };
enum Currency { euro = -1, dollar = 2 };

struct Entity {
  std::uint32_t number = 7;
};

struct Nothing {};

inline namespace second {
template <class T, int Count = 2, bool Fair = true>
struct Shares {
  T parts[Count] = {};
};
}  // namespace second

template <Kind K, char Letter, class... Types>
struct Tagged {
  int tag = 1;
};

struct Account : Entity, Nothing {
  static int count;
  char owner[16] = "al\"ice\n";
  const std::uint64_t balance = 0x1122334455667788;
  bool is_open = true;
  Kind kind = Kind::savings;
  Kind unknown = Kind{3};
  char letter = 'x';
  Currency currency = euro;
  unsigned low : 3 = 5;
  int high : 5 = -3;
  Currency in_bits : 4 = euro;
  float rate = 0.1F;
  double limit = -2.5;
  long double exact = 0.25L;
  union {
    std::uint32_t word = 0x01020304;
    std::uint8_t octets[4];
  };
  std::array<short, 3> days = {1, -2, 3};
  Shares<long> shares{{4, 5}};
  int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
  Entity entities[2];
  std::uint8_t many[300] = {9, 8};
  Account* next = nullptr;
  Account* other = nullptr;
  Entity& self = *this;
  const char* label = nullptr;
  const void* outside = &count;
};

inline int Account::count = 0;

}  // namespace bank

#endif
