#ifndef PERDURE_STORES_LEVELDB_INNER_COPY_H
#define PERDURE_STORES_LEVELDB_INNER_COPY_H

#include "tree.h"

/// How inner nodes change: what they hold is copied into the transaction's own frame, changed there, and written to a
/// new node, while that is the last block that the transaction has allocated.
namespace perdure::stores {

/// What one or two inner nodes hold.
struct InnerCopy {
  static constexpr unsigned capacity = 2 * Inner::capacity + 1;

  unsigned count = 0;  ///< of separators
  Cell* separators[capacity];
  Node* children[capacity + 1];
};

PERDURE_PURE void copy_separators(const Inner& from, InnerCopy& to);
/// Writes all of a new node but its children: `count` separators from `begin` on.
PERDURE_PURE void write_separators(Inner& to, const KeyOrder& order, const InnerCopy& from, unsigned begin,
                                   unsigned count, const Cell* low, const Cell* high);
PERDURE_PURE void insert_child(InnerCopy& copy, unsigned position, Cell* separator, Node* behind);
PERDURE_PURE void erase_child(InnerCopy& copy, unsigned position);

/// Adds what the node holds to the copy; between the two comes `separator`, if the copy has something already.
inline void append(InnerCopy& copy, const Inner& node, Cell* separator) {
  unsigned child = 0;
  if (separator != nullptr) {
    copy.separators[copy.count] = separator;
    child = ++copy.count;
  }
  copy_separators(node, copy);
  for (unsigned i = 0; child <= copy.count; ++child, ++i) copy.children[child] = node.children[i];
}

/// \param begin  the first of its children.
/// \param count  of its separators.
inline Inner* make_inner(const KeyOrder& order, const InnerCopy& copy, unsigned begin, unsigned count, const Cell* low,
                         const Cell* high) {
  auto* const made = new Inner();
  for (unsigned i = 0; i <= count; ++i) made->children[i] = copy.children[begin + i];
  write_separators(*made, order, copy, begin, count, low, high);
  return made;
}

/// Puts another node in the place of one at `level` of the path; below all levels, that is a leaf.
inline void replace_child(Tree& tree, const Path& path, unsigned level, Node* node) {
  if (level == 0)
    tree.top = node;
  else
    path.steps[level - 1].node->children[path.steps[level - 1].child] = node;
}

}  // namespace perdure::stores

#endif
