// RUN: %clangxx -O2 -flto -c %S/Inputs/elsewhere.cc -o %t.elsewhere.o
// RUN: %run_on_deferred_runtime -O2 -flto -fuse-ld=lld -Wl,--load-pass-plugin=%plugin -Wl,%t.elsewhere.o -Wno-unused-command-line-argument
// RUN: %clangxx -O0 -g -flto -c %S/Inputs/elsewhere.cc -o %t.elsewhere.o
// RUN: %run_on_deferred_runtime -O1 -g -flto -fuse-ld=lld -Wl,--load-pass-plugin=%plugin -Wl,%t.elsewhere.o -Wno-unused-command-line-argument
// RUN: %if long %{ %clangxx -O2 -flto -fplugin-arg-perdure-write-only -c %S/Inputs/elsewhere.cc -o %t.elsewhere.o %}
// RUN: %if long %{ %run_on_deferred_runtime -O2 -fplugin-arg-perdure-write-only -flto -fuse-ld=lld -Wl,--load-pass-plugin=%plugin -Wl,%t.elsewhere.o -Wno-unused-command-line-argument %}

// Functions of another file, without a mark, do in transactions what they do outside, when the linker completes the
// program.
#include "Inputs/elsewhere.h"

#include <memory>
#include <stdexcept>

#include "compare.h"

namespace {

struct Accounts {
  elsewhere::Account account{1000};
  std::uint64_t total = 3;
  unsigned char bytes[40] = {1, 2, 3};
};

std::uint64_t work(Accounts& accounts) {
  elsewhere::Account& account = accounts.account;
  for (int i = 0; i < 6; ++i) account.book("entry " + std::to_string(i % 4), i * 7 - 3);
  const std::unique_ptr<elsewhere::Account> savings(elsewhere::make_savings(account.balance));
  std::uint64_t sum = 0;
  for (const unsigned percent : {3U, 101U, 50U}) {
    try {
      sum = sum * 7 + savings->interest(percent) + account.interest(percent);
    } catch (const std::out_of_range&) {
      sum += 1000;
    }
  }
  for (unsigned i = 0; i < 5; ++i) sum += elsewhere::operation(i)(accounts.total, sum % 9 + 2);
  for (const elsewhere::Operation known : {&elsewhere::square, elsewhere::operation(sum % 2)})
    sum += known(accounts.total, sum % 7);
  accounts.bytes[5] = static_cast<unsigned char>(sum);
  return sum * 3 + elsewhere::checksum(accounts.bytes, sizeof accounts.bytes) + account.entries.size();
}

}  // namespace

int main() {
  auto& plain = *new Accounts;
  auto& shared = *new Accounts;
  for (int round = 0; round < 2; ++round)
    compare("functions of another file", plain, shared, [](Accounts& accounts) { return work(accounts); });
  // A variable of the program has one value for both: it goes on.
  std::uint64_t first = 0, second = 0;
  TM_BEGIN { first = elsewhere::next_number(); } TM_END;
  TM_BEGIN { second = elsewhere::next_number(); } TM_END;
  if (second != first + 1) return 1;
}
