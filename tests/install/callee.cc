#include "callee.h"

#include <stdexcept>

static long tenth_off(long price) { return price - price / 10; }

Discount discount(long money) { return money > 100 ? tenth_off : nullptr; }

long Shop::price(const std::string& item) const { return static_cast<long>(item.size()) * 10; }

void Shop::sell(const std::string& item, long count) {
  money += count * price(item);
  stock[item] -= count;
  if (stock[item] < 0) throw std::runtime_error("there is no more " + item);
}
