// A small bank and its crash test:
//
//   perdure-c++ -O2 --tm=orec_lazy_fast_sim transfers.cc -o transfers && perdure-crashtest ./transfers
//
// With -DBROKEN money leaves one account and comes to the other in two transactions. Each is durable and all or
// nothing; but after a crash between them money is missing, and perdure-crashtest says so. With -DHASTY it promises
// transfers that are not durable yet, which only `perdure-crashtest --disk` can tell.
#include <cstdio>

#include <perdure/crashtest.h>
#include <perdure/perdure.h>

namespace {

constexpr long all_money = 100;

struct Receipt {
  long amount;
  Receipt* earlier;
};

struct Bank {
  long alice = all_money;
  long bob = 0;
  unsigned long long transfers = 0;
  Receipt* latest = nullptr;
};

void transfer(Bank& bank, long amount) {
#ifdef BROKEN
  TM_BEGIN { bank.alice -= amount; } TM_END;
  TM_BEGIN {
    bank.bob += amount;
    bank.latest = new Receipt{amount, bank.latest};
    ++bank.transfers;
  } TM_END;
#else
  TM_BEGIN {
    bank.alice -= amount;
    bank.bob += amount;
    bank.latest = new Receipt{amount, bank.latest};
    ++bank.transfers;
  } TM_END;
#endif
}

// Whether the books balance.
bool is_sound(const Bank& bank) {
  long moved = 0;
  unsigned long long receipts = 0;
  for (const Receipt* receipt = bank.latest; receipt != nullptr; receipt = receipt->earlier) {
    moved += receipt->amount;
    ++receipts;
  }
  return bank.alice + bank.bob == all_money && bank.bob == moved && bank.transfers == receipts;
}

}  // namespace

extern "C" int perdure_crash_workload(const char* path) {
  perdure::OpenOptions options;
#ifdef HASTY
  options.acknowledgement = perdure::Acknowledgement::relaxed;
#endif
  auto pool = perdure::Pool::open(path, options);
  Bank& bank = pool.root<Bank>("bank");
  for (unsigned long long number = 1; number <= 3; ++number) {
    transfer(bank, static_cast<long>(10 * number));
    perdure_crash_acknowledge(number);
  }
  return 0;
}

extern "C" int perdure_crash_check(const char* path) {
  auto pool = perdure::Pool::open(path);
  Bank& bank = pool.root<Bank>("bank");
  const unsigned long long promised = perdure_crash_acknowledged();
  return TM_BEGIN {
    if (bank.transfers < promised) return 1;
    return is_sound(bank) ? 0 : 2;
  } TM_END;
}

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s <pool>\n", arguments[0]);
    return 2;
  }
  auto pool = perdure::Pool::open(arguments[1]);
  Bank& bank = pool.root<Bank>("bank");
  transfer(bank, 1);
  std::printf("alice %ld, bob %ld\n", bank.alice, bank.bob);
}
