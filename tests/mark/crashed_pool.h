#ifndef PERDURE_TESTS_MARK_CRASHED_POOL_H
#define PERDURE_TESTS_MARK_CRASHED_POOL_H

#include <csignal>
#include <cstdint>
#include <vector>

#include "open/open_pool.h"
#include "tests/pool/pool_test.h"
#include "tests/tx/by_hand.h"

/// Pools whose last user crashed, and the nodes in them.
namespace perdure::testing {

/// Two lines: the pointers of a node are in different chunks of every log.
struct Node {
  std::uint64_t next;   ///< a Node
  std::uint64_t leaf;   ///< a Leaf
  std::uint64_t spare;  ///< room for another one
  std::uint64_t rest[13];
};

struct Leaf {
  std::uint64_t number;
  std::uint64_t check;
  std::uint64_t rest[6];
};

template <class T>
T* pointer(std::uint64_t word) {
  return reinterpret_cast<T*>(word);
}

/// In a transaction. All zero.
template <class T>
T* allocate_zeroed() {
  void* const block = entry::transactional_allocate(sizeof(T), 16);
  if (block == nullptr) throw std::bad_alloc();
  perdure_memset(block, 0, sizeof(T));
  return static_cast<T*>(block);
}

constexpr std::uint64_t check_of(std::uint64_t number) { return ~number * 0x9e3779b97f4a7c15; }

inline Leaf* make_leaf(std::uint64_t number) {
  Leaf* const leaf = allocate_zeroed<Leaf>();
  by_hand::write(leaf->number, number);
  by_hand::write(leaf->check, check_of(number));
  return leaf;
}

inline void make_list(roots::Root& root, std::uint64_t nodes, std::uint64_t first_number) {
  using by_hand::read, by_hand::write;
  auto& head = reinterpret_cast<std::uint64_t&>(root.object);
  for (std::uint64_t i = 0; i < nodes; ++i)
    by_hand::transact([&] {
      Node* const node = allocate_zeroed<Node>();
      write(node->leaf, reinterpret_cast<std::uint64_t>(make_leaf(first_number + i)));
      write(node->next, read(head));
      write(head, reinterpret_cast<std::uint64_t>(node));
    });
  by_hand::transact([&] { write(root.size, sizeof(Node)); });
}

/// The nodes of a list, read without transactions.
inline std::vector<Node*> nodes_of(const roots::Root& root) {
  std::vector<Node*> nodes;
  for (auto* node = static_cast<Node*>(root.object); node != nullptr; node = pointer<Node>(node->next))
    nodes.push_back(node);
  return nodes;
}

class MarkTest : public PoolTest {
 protected:
  /// Makes a pool in a process that then is killed.
  template <class Make>
  void make_crashed(Make&& make, const OpenOptions& options = {}) {
    const int status = in_child([&] {
      opening::OpenPool pool(path(), options);
      make(pool);
      kill(getpid(), SIGKILL);
    });
    ASSERT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  }

  /// Two lists, under the roots 0 and 1, whose leaves have the numbers from 0.
  void make_two_lists(std::uint64_t nodes) {
    make_crashed([&](opening::OpenPool& pool) {
      make_list(pool.root_table().roots[0], nodes, 0);
      make_list(pool.root_table().roots[1], nodes, nodes);
    });
  }

  opening::OpenPool open_by_hand(const OpenOptions& options = {}) const {
    return opening::OpenPool(path(), options, opening::Marking::by_hand);
  }
};

}  // namespace perdure::testing

#endif
