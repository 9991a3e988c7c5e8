#include "dependency_graph.h"

#include <algorithm>

namespace perdure::history {
namespace {

using Node = DependencyGraph::Node;
using Edge = DependencyGraph::Edge;

bool is_allowed(const Edge& edge, Dependencies allowed) {
  return (static_cast<Dependencies>(edge.dependency) & allowed) != 0;
}

/// Tarjan's algorithm with a stack of its own: histories are longer than the program's stack is deep.
class ComponentSearch {
 public:
  ComponentSearch(const DependencyGraph& graph, Dependencies allowed)
      : graph_(graph),
        allowed_(allowed),
        index_(graph.nodes(), unvisited),
        lowest_(graph.nodes()),
        is_open_(graph.nodes()),
        component_(graph.nodes(), DependencyGraph::no_node) {}

  std::vector<Node> run() && {
    for (Node node = 0; node < graph_.nodes(); ++node)
      if (index_[node] == unvisited) visit_from(node);
    return std::move(component_);
  }

 private:
  static constexpr std::uint32_t unvisited = UINT32_MAX;

  struct Visit {
    Node node;
    std::size_t next_edge;
  };

  void visit_from(Node root) {
    enter(root);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      const auto edges = graph_.edges_from(visit.node);
      if (visit.next_edge == edges.size())
        leave();
      else if (const Edge& edge = edges[visit.next_edge++]; is_allowed(edge, allowed_))
        follow(visit.node, edge.to);  // may invalidate `visit`
    }
  }

  void enter(Node node) {
    index_[node] = lowest_[node] = next_index_++;
    open_.push_back(node);
    is_open_[node] = true;
    visits_.push_back({node, 0});
  }

  void follow(Node from, Node to) {
    if (index_[to] == unvisited)
      enter(to);
    else if (is_open_[to])
      lowest_[from] = std::min(lowest_[from], index_[to]);
  }

  void leave() {
    const Node node = visits_.back().node;
    visits_.pop_back();
    if (!visits_.empty()) {
      Node parent = visits_.back().node;
      lowest_[parent] = std::min(lowest_[parent], lowest_[node]);
    }
    if (lowest_[node] == index_[node]) close_component(node);
  }

  /// The open nodes from `root` on are a component; a single one is on no cycle, since nobody depends on itself.
  void close_component(Node root) {
    const bool is_cyclic = open_.back() != root;
    Node node = DependencyGraph::no_node;
    do {
      node = open_.back();
      open_.pop_back();
      is_open_[node] = false;
      if (is_cyclic) component_[node] = next_component_;
    } while (node != root);
    next_component_ += is_cyclic ? 1 : 0;
  }

  const DependencyGraph& graph_;
  Dependencies allowed_;
  std::vector<std::uint32_t> index_;   // in the order of visits
  std::vector<std::uint32_t> lowest_;  // the smallest index of an open node that is reached
  std::vector<bool> is_open_;
  std::vector<Node> component_;
  std::vector<Node> open_;
  std::vector<Visit> visits_;
  std::uint32_t next_index_ = 0;
  Node next_component_ = 0;
};

}  // namespace

DependencyGraph::DependencyGraph(std::size_t nodes, std::vector<Edge> edges)
    : edges_(edges.size()), first_edge_(nodes + 1, 0) {
  for (const Edge& edge : edges) ++first_edge_[edge.from + 1];
  for (std::size_t node = 0; node < nodes; ++node) first_edge_[node + 1] += first_edge_[node];
  std::vector<std::size_t> place(first_edge_.begin(), first_edge_.end() - 1);
  for (const Edge& edge : edges) edges_[place[edge.from]++] = edge;
}

std::vector<Node> DependencyGraph::cyclic_components(Dependencies allowed) const {
  return ComponentSearch(*this, allowed).run();
}

std::vector<Edge> DependencyGraph::path(Node from, Node to, Dependencies allowed) const {
  std::vector<const Edge*> reached_by(nodes(), nullptr);
  std::vector<Node> frontier{from};
  for (std::size_t next = 0; next < frontier.size() && reached_by[to] == nullptr; ++next)
    for (const Edge& edge : edges_from(frontier[next])) {
      if (!is_allowed(edge, allowed) || reached_by[edge.to] != nullptr) continue;
      reached_by[edge.to] = &edge;
      frontier.push_back(edge.to);
    }
  std::vector<Edge> result;
  if (reached_by[to] == nullptr) return result;
  do result.push_back(*reached_by[result.empty() ? to : result.back().from]);
  while (result.back().from != from);
  std::ranges::reverse(result);
  return result;
}

}  // namespace perdure::history
