#include "elsewhere.h"

#include <stdexcept>

namespace elsewhere {

namespace {

struct Savings : Account {
  using Account::Account;
  ~Savings() override { balance = 0; }
  std::uint64_t interest(unsigned percent) const override { return 2 * Account::interest(percent) + 1; }
};

std::uint64_t add(std::uint64_t& to, std::uint64_t value) { return to += value; }
std::uint64_t multiply(std::uint64_t& to, std::uint64_t value) { return to *= value; }

}  // namespace

Account::Account(std::uint64_t start) : balance(start) {}
Account::~Account() { entries.clear(); }

std::uint64_t Account::interest(unsigned percent) const {
  if (percent > 100) throw std::out_of_range("percent");
  return balance * percent / 100;
}

void Account::book(const std::string& text, std::int64_t amount) {
  entries[text] += amount;
  balance += static_cast<std::uint64_t>(amount);
}

Account* make_savings(std::uint64_t balance) { return new Savings(balance); }

std::uint64_t checksum(const unsigned char* bytes, std::size_t size) {
  std::uint64_t sum = size;
  for (std::size_t i = 0; i < size; ++i) sum = sum * 31 + bytes[i];
  return sum;
}

Operation operation(unsigned number) { return number % 2 == 0 ? add : multiply; }

std::uint64_t square(std::uint64_t& total, std::uint64_t number) { return total += number * number; }

std::uint64_t next_number() {
  static std::uint64_t first = checksum(reinterpret_cast<const unsigned char*>("text"), 4) % 100;
  return ++first;
}

}  // namespace elsewhere
