#include "check.h"

#include <algorithm>

namespace {

std::string error_in(const Teller& teller, std::size_t number) {
  const auto expected = std::min<long>(teller.transfers, Bank::transfers_remembered);
  const auto who = "teller " + std::to_string(number);
  if (static_cast<long>(teller.latest.size()) != expected) {
    return who + " counted " + std::to_string(teller.transfers) + " transfers but remembers " +
           std::to_string(teller.latest.size());
  }
  long sequence = teller.transfers - expected;
  for (const Transfer& transfer : teller.latest) {
    if (transfer.sequence != ++sequence || transfer.amount <= 0 || transfer.from == transfer.to) {
      return who + " should remember transfer " + std::to_string(sequence) + " but remembers " +
             std::to_string(transfer.sequence) + ": " + std::to_string(transfer.amount) + " from " + transfer.from +
             " to " + transfer.to;
    }
  }
  return "";
}

}  // namespace

std::vector<std::string> errors_in(const Bank& bank, long expected_total) {
  std::vector<std::string> errors;
  long total = 0;
  for (const auto& [name, balance] : bank.balance) total += balance;
  if (total != expected_total) {
    errors.push_back("the accounts hold " + std::to_string(total) + " but should hold " +
                     std::to_string(expected_total));
  }
  for (std::size_t number = 0; number < bank.tellers.size(); ++number) {
    const auto error = error_in(bank.tellers[number], number);
    if (!error.empty()) errors.push_back(error);
  }
  return errors;
}
