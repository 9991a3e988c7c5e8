#ifndef PERDURE_EXAMPLES_BANK_H
#define PERDURE_EXAMPLES_BANK_H

#include <array>
#include <cstddef>
#include <list>
#include <map>
#include <string>

/// A move of money, as it is noted in the bank's books.
struct Transfer {
  long sequence;  // the teller's transfers are numbered from 1
  std::string from;
  std::string to;
  long amount;
};

/// What one thread has done. A cache line of its own, so that tellers do not conflict.
struct alignas(64) Teller {
  long transfers = 0;
  std::list<Transfer> latest;  // the last few, oldest first
};

/// The root of the pool.
struct Bank {
  static constexpr std::size_t most_tellers = 64;
  static constexpr std::size_t transfers_remembered = 4;

  std::map<std::string, long> balance;
  std::array<Teller, most_tellers> tellers;
};

#endif
