// perdure/durability.h, and the same for C.
#include "perdure/durability.h"

#include "disk/commit_position.h"
#include "entry/allocation.h"

namespace perdure {

bool CommitToken::durable() const { return disk::is_durable({slot_, opening_, position_}); }
void CommitToken::wait() const { disk::await_durable({slot_, opening_, position_}); }

CommitToken last_commit() {
  const disk::CommitPosition& last = disk::last_commit();
  CommitToken token;
  token.slot_ = last.slot;
  token.opening_ = last.opening;
  token.position_ = last.position;
  return token;
}

}  // namespace perdure

extern "C" void perdure_acknowledge(int relaxed) {
  using perdure::disk::Acknowledgement;
  if (!perdure::entry::is_in_transaction()) return;
  perdure::disk::acknowledge(relaxed != 0 ? Acknowledgement::relaxed : Acknowledgement::synchronous);
}
