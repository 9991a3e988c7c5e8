// A transaction that calls functions of another file.
#include <perdure/perdure.h>

#include <iostream>

#include "callee.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto pool = perdure::Pool::open(argv[1], {.accept_volatile = true});
  Shop shop;
  shop.stock["bread"] = 3;
  try {
    TM_BEGIN { shop.sell("bread", 5); } TM_END;
    return 3;
  } catch (const std::runtime_error&) {
    if (shop.money != 0 || shop.stock["bread"] != 3) return 4;
    std::cout << "rolled back";
  }
  long reduced = 0;
  TM_BEGIN {
    shop.sell("bread", 3);
    reduced = discount(shop.money)(shop.money);
  } TM_END;
  if (shop.money != 150 || shop.stock["bread"] != 0 || reduced != 135) return 5;
  std::cout << " and committed\n";
}
