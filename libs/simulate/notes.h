#ifndef PERDURE_SIMULATE_NOTES_H
#define PERDURE_SIMULATE_NOTES_H

#include <cstdint>
#include <map>

#include "simulate/trace.h"

namespace perdure::simulate {

/// A workload says what it does, so that its check knows what must be there after a crash. A client numbers its
/// transactions from 1; there may be a client for each thread.
void begin(std::uint64_t client, std::uint64_t number);
/// The transaction has returned: from now on it must not be lost.
void acknowledge(std::uint64_t client, std::uint64_t number);

/// What had been said when the crash came.
class Notes {
 public:
  void apply(const Event& event) {
    if (event.kind == Event::Kind::begin) clients_[event.address].begun = event.value;
    if (event.kind == Event::Kind::acknowledge) clients_[event.address].acknowledged = event.value;
  }

  /// A program has opened the pools since: what it was told then no longer holds of the state they are in.
  void reopen() { reopened_ = true; }
  bool reopened() const { return reopened_; }

  /// The number of the client's last transaction that has begun or been acknowledged; 0: none.
  std::uint64_t begun(std::uint64_t client) const { return of(client).begun; }
  std::uint64_t acknowledged(std::uint64_t client) const { return of(client).acknowledged; }

  /// Whether a client that has done `number` transactions, whole, has done all it must and nothing it cannot have.
  bool allow(std::uint64_t client, std::uint64_t number) const {
    return acknowledged(client) <= number && number <= begun(client);
  }

  std::uint64_t hash() const;

 private:
  struct Client {
    std::uint64_t begun = 0;
    std::uint64_t acknowledged = 0;
  };
  Client of(std::uint64_t client) const {
    const auto found = clients_.find(client);
    return found == clients_.end() ? Client{} : found->second;
  }

  std::map<std::uint64_t, Client> clients_;
  bool reopened_ = false;
};

}  // namespace perdure::simulate

#endif
