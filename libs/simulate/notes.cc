#include "simulate/notes.h"

#include "pool/checksum.h"

namespace perdure::simulate {

std::uint64_t Notes::hash() const {
  std::uint64_t hash = reopened_ ? 1 : 0;
  for (const auto& [client, notes] : clients_) hash += pool::mix(client, pool::mix(notes.begun, notes.acknowledged));
  return hash;
}

}  // namespace perdure::simulate
