#ifndef PERDURE_TESTS_ISOLATION_DEPENDENCY_GRAPH_H
#define PERDURE_TESTS_ISOLATION_DEPENDENCY_GRAPH_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace perdure::history {

/// Why one attempt comes before another (Adya, Liskov, O'Neil, ICDE'00).
enum class Dependency : std::uint8_t {
  write_write = 1,  ///< its write is the one before the other's
  write_read = 2,   ///< the other read its write
  read_write = 4,   ///< the other overwrote what it read
  real_time = 8     ///< it ended before the other began
};

/// A set of dependencies.
using Dependencies = std::uint8_t;
constexpr Dependencies operator|(Dependency a, Dependency b) {
  return static_cast<Dependencies>(static_cast<Dependencies>(a) | static_cast<Dependencies>(b));
}
constexpr Dependencies operator|(Dependencies a, Dependency b) {
  return static_cast<Dependencies>(a | static_cast<Dependencies>(b));
}
inline constexpr Dependencies all_dependencies =
    Dependency::write_write | Dependency::write_read | Dependency::read_write | Dependency::real_time;

/// A directed graph, in compressed rows.
class DependencyGraph {
 public:
  using Node = std::uint32_t;
  static constexpr Node no_node = UINT32_MAX;

  struct Edge {
    Node from;
    Node to;
    Dependency dependency;
  };

  DependencyGraph(std::size_t nodes, std::vector<Edge> edges);

  std::size_t nodes() const { return first_edge_.size() - 1; }
  std::span<const Edge> edges_from(Node node) const {
    return std::span(edges_).subspan(first_edge_[node], first_edge_[node + 1] - first_edge_[node]);
  }
  std::span<const Edge> edges() const { return edges_; }

  /// The nodes that are on some cycle of the `allowed` edges, each with the number of its strongly connected component;
  /// `no_node` for all others. Linear in the size of the graph. (Tarjan, SIAM J. Comput. 1972.)
  std::vector<Node> cyclic_components(Dependencies allowed) const;

  /// A shortest path along `allowed` edges of at least one edge; empty if there is none.
  std::vector<Edge> path(Node from, Node to, Dependencies allowed) const;

 private:
  std::vector<Edge> edges_;  // by `from`
  std::vector<std::size_t> first_edge_;
};

}  // namespace perdure::history

#endif
