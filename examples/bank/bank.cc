#include <cstdio>
#include <map>
#include <string>

#include <perdure/perdure.h>

// An ordinary type, an ordinary container.
struct Bank {
  std::map<std::string, long> balance;
};

int main() {
  // Creates the file, or recovers it after a crash.
  auto pool = perdure::Pool::open("bank.pool");
  // A named root, made on first use.
  Bank& bank = pool.root<Bank>("bank");

  // Atomic, isolated, durable.
  TM_BEGIN {
    bank.balance["alice"] -= 10;
    bank.balance["bob"] += 10;
  } TM_END;

  for (const auto& [name, balance] : bank.balance) std::printf("%s %ld\n", name.c_str(), balance);
}
