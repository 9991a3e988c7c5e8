#ifndef PERDURE_MEMO_CLAIMS_H
#define PERDURE_MEMO_CLAIMS_H

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>

#include "perdure/memo/key.h"

namespace perdure::detail {

/// Something that is the calling thread's alone, as long as it lives.
inline const void* mark_of_thread() {
  static thread_local char mark = 0;
  return &mark;
}

/// Which results threads of this process evaluate at the moment. They lie in ordinary memory, so a crash ends them, and
/// are used in transactions, so others can wait for their end.
template <class... Arguments>
class MemoClaims {
 public:
  struct Claim : StoredMemoKey<Arguments...> {
    explicit Claim(const MemoKey<Arguments...>& key) : StoredMemoKey<Arguments...>(key), thread(mark_of_thread()) {}

    const void* thread;
    Claim* next = nullptr;
  };

  MemoClaims() = default;
  MemoClaims(const MemoClaims&) = delete;
  MemoClaims& operator=(const MemoClaims&) = delete;

  // In transactions:

  const Claim* find(const MemoKey<Arguments...>& key) const {
    const Claim* claim = *first(key);
    while (claim != nullptr && !claim->is(key)) claim = claim->next;
    return claim;
  }

  /// The claim, made outside of transactions, belongs to this from now on.
  void add(Claim& claim, const MemoKey<Arguments...>& key) {
    Claim** const head = first(key);
    claim.next = *head;
    *head = &claim;
  }

  /// Also if it is gone: then `claim` points nowhere.
  void remove(const Claim* claim, const MemoKey<Arguments...>& key) {
    for (Claim** link = first(key); *link != nullptr; link = &(*link)->next) {
      if (*link != claim) continue;
      Claim* const found = *link;
      *link = found->next;
      delete found;  // by the transaction: others may still be looking at it
      return;
    }
  }

 private:
  static constexpr std::size_t lists = 64;

  Claim** first(const MemoKey<Arguments...>& key) { return &first_[key.hash % lists]; }
  Claim* const* first(const MemoKey<Arguments...>& key) const { return &first_[key.hash % lists]; }

  std::array<Claim*, lists> first_{};  // by hash
};

/// The same for all that use one table at the same time.
template <class Claims>
std::shared_ptr<Claims> claims_of(const void* table) {
  static std::mutex mutex;
  static std::map<const void*, std::weak_ptr<Claims>> all;
  const std::lock_guard lock(mutex);
  for (auto known = all.begin(); known != all.end();) known = known->second.expired() ? all.erase(known) : ++known;
  std::shared_ptr<Claims> claims = all[table].lock();
  if (claims == nullptr) all[table] = claims = std::make_shared<Claims>();
  return claims;
}

}  // namespace perdure::detail

#endif
