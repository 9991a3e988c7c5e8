#include "history_checker.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "dependency_graph.h"

namespace perdure::history {
namespace {

using Kind = Anomaly::Kind;
using Node = DependencyGraph::Node;
using Edge = DependencyGraph::Edge;

/// Enough to find out what is wrong.
constexpr std::size_t max_reported = 20;

/// Where a value comes from.
struct Origin {
  Node attempt;
  Key key;
  bool is_last;            // of the attempt's appends to the key
  bool is_placed = false;  // in the final list
};

template <class... Parts>
std::string text(const Parts&... parts) {
  std::ostringstream result;
  (result << ... << parts);
  return result.str();
}

std::string to_string(std::span<const Value> values) {
  std::string result = "[";
  for (const Value value : values) result += (result.size() > 1 ? " " : "") + std::to_string(value);
  return result + "]";
}

class Check {
 public:
  explicit Check(const History& history) : history_(history) {}

  std::vector<Anomaly> run() && {
    note_origins();
    check_final_lists();
    // Without an order of the writes that all agree on there is no graph to speak of.
    if (anomalies_.empty()) check_reads();
    if (anomalies_.empty()) check_cycles();
    return std::move(anomalies_);
  }

 private:
  // -- the lists themselves ----------------------------------------------------------------------------------------

  void note_origins() {
    for (Node attempt = 0; attempt < history_.attempts().size(); ++attempt) {
      std::unordered_map<Key, Value> last;
      for (const Operation& operation : operations_of(attempt)) {
        if (operation.kind != Operation::Kind::append) continue;
        const Value value = history_.values_of(operation)[0];
        if (const auto [before, is_first] = last.try_emplace(operation.key, value); !is_first)
          origins_.at(std::exchange(before->second, value)).is_last = false;
        origins_.emplace(value, Origin{attempt, operation.key, true});
      }
    }
  }

  void check_final_lists() {
    for (Key key = 0; key < history_.final_lists().size(); ++key)
      for (const Value value : history_.final_lists()[key]) place(key, value);
    for (const auto& [value, origin] : origins_)
      if (is_committed(origin.attempt) && !origin.is_placed)
        report(Kind::lost_update,
               text(value, " is not in the final list of ", origin.key, ": ", describe(origin.attempt)));
  }

  void place(Key key, Value value) {
    const auto found = origins_.find(value);
    if (found == origins_.end() || found->second.key != key || found->second.is_placed)
      return report(Kind::unwritten_value, text(value, " in the final list of ", key));
    found->second.is_placed = true;
    if (!is_committed(found->second.attempt))
      report(Kind::aborted_read, text(value, " in the final list of ", key, ": ", describe(found->second.attempt)));
  }

  void check_reads() {
    for (Node attempt = 0; attempt < history_.attempts().size(); ++attempt) {
      std::unordered_map<Key, std::vector<Value>> own;  // appended so far
      for (const Operation& operation : operations_of(attempt)) {
        if (operation.kind == Operation::Kind::append)
          own[operation.key].push_back(history_.values_of(operation)[0]);
        else
          check_read(attempt, operation, own.contains(operation.key) ? own[operation.key] : std::vector<Value>{});
      }
    }
  }

  void check_read(Node reader, const Operation& read, std::span<const Value> own) {
    const auto list = history_.values_of(read);
    if (list.size() < own.size() || !std::ranges::equal(list.last(own.size()), own))
      return report(Kind::internal, text("own appends ", to_string(own), " are missing in ", to_string(list), " of ",
                                         read.key, ": ", describe(reader)));
    check_prefix(reader, read.key, list.first(list.size() - own.size()));
    reads_.push_back({reader, read.key, list.size() - own.size()});
  }

  /// What others appended, as the reader saw it.
  void check_prefix(Node reader, Key key, std::span<const Value> seen) {
    const auto& final_list = history_.final_lists()[key];
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (i >= final_list.size() || seen[i] != final_list[i])
        return report(kind_of_wrong(reader, seen[i]),
                      text(to_string(seen), " of ", key, " was seen, the final list is ", to_string(final_list), ": ",
                           describe(reader)));
    if (seen.empty()) return;
    if (const Origin& last = origins_.at(seen.back()); last.attempt != reader && !last.is_last)
      report(Kind::intermediate_read, text(to_string(seen), " of ", key, " was seen by ", describe(reader), ", within ",
                                           describe(last.attempt)));
  }

  Kind kind_of_wrong(Node reader, Value value) const {
    const auto origin = origins_.find(value);
    if (origin == origins_.end()) return Kind::unwritten_value;
    if (origin->second.attempt == reader) return Kind::internal;
    return is_committed(origin->second.attempt) ? Kind::incompatible_order : Kind::aborted_read;
  }

  // -- the order of the attempts -----------------------------------------------------------------------------------

  void check_cycles() {
    add_write_order();
    add_reads();
    add_real_time();
    const DependencyGraph graph(history_.attempts().size() + moments_, std::move(edges_));
    const auto components = graph.cyclic_components(all_dependencies);
    const auto on_cycles =
        std::ranges::count_if(components, [](Node each) { return each != DependencyGraph::no_node; });
    if (on_cycles == 0) return;
    constexpr auto writes = static_cast<Dependencies>(Dependency::write_write);
    constexpr auto reads = Dependency::write_write | Dependency::write_read;
    for (const bool in_real_time : {false, true}) {
      const auto with_time = [&](Dependencies allowed) {
        return in_real_time ? allowed | Dependency::real_time : allowed;
      };
      if (report_cycle(Kind::write_cycle, in_real_time, cycle(graph, with_time(writes)))) return;
      if (report_cycle(Kind::read_cycle, in_real_time, cycle(graph, with_time(reads)))) return;
      if (report_cycle(Kind::single_anti_dependency_cycle, in_real_time,
                       cycle_with_one_anti_dependency(graph, with_time(reads))))
        return;
      if (report_cycle(Kind::anti_dependency_cycle, in_real_time,
                       cycle(graph, with_time(reads | Dependency::read_write))))
        return;
    }
  }

  void add_write_order() {
    for (const auto& list : history_.final_lists())
      for (std::size_t i = 1; i < list.size(); ++i)
        add_edge(origins_.at(list[i - 1]).attempt, origins_.at(list[i]).attempt, Dependency::write_write);
  }

  void add_reads() {
    for (const Read& read : reads_) {
      const auto& list = history_.final_lists()[read.key];
      if (read.seen > 0) add_edge(origins_.at(list[read.seen - 1]).attempt, read.attempt, Dependency::write_read);
      if (read.seen < list.size()) add_edge(read.attempt, origins_.at(list[read.seen]).attempt, Dependency::read_write);
    }
  }

  /// Through a chain of moments, one for each end of an attempt: an attempt comes before the moment it ends at, and a
  /// moment before the attempts that begin later. That is a few edges an attempt, instead of one for each pair.
  void add_real_time() {
    const auto attempts = history_.attempts();
    std::vector<Time> ends;
    for (const Attempt& attempt : attempts)
      if (attempt.end != unknown_end) ends.push_back(attempt.end);
    std::ranges::sort(ends);
    ends.erase(std::ranges::unique(ends).begin(), ends.end());
    moments_ = ends.size();
    const auto moment = [&](auto place) { return static_cast<Node>(attempts.size() + (place - ends.begin())); };
    for (std::size_t i = 1; i < ends.size(); ++i)
      add_edge(moment(ends.begin() + i - 1), moment(ends.begin() + i), Dependency::real_time);
    for (Node attempt = 0; attempt < attempts.size(); ++attempt) {
      const auto last_before = std::ranges::lower_bound(ends, attempts[attempt].begin);
      if (last_before != ends.begin()) add_edge(moment(last_before - 1), attempt, Dependency::real_time);
      if (attempts[attempt].end != unknown_end)
        add_edge(attempt, moment(std::ranges::lower_bound(ends, attempts[attempt].end)), Dependency::real_time);
    }
  }

  void add_edge(Node from, Node to, Dependency dependency) {
    if (from != to) edges_.push_back({from, to, dependency});
  }

  static std::vector<Edge> cycle(const DependencyGraph& graph, Dependencies allowed) {
    const auto components = graph.cyclic_components(allowed);
    const auto node = std::ranges::find_if(components, [](Node each) { return each != DependencyGraph::no_node; });
    if (node == components.end()) return {};
    const auto start = static_cast<Node>(node - components.begin());
    return graph.path(start, start, allowed);
  }

  static std::vector<Edge> cycle_with_one_anti_dependency(const DependencyGraph& graph, Dependencies others) {
    const auto components = graph.cyclic_components(others | Dependency::read_write);
    for (const Edge& edge : graph.edges()) {
      if (edge.dependency != Dependency::read_write || components[edge.from] == DependencyGraph::no_node ||
          components[edge.from] != components[edge.to])
        continue;
      if (auto way_back = graph.path(edge.to, edge.from, others); !way_back.empty()) {
        way_back.push_back(edge);
        return way_back;
      }
    }
    return {};
  }

  // -- reporting ---------------------------------------------------------------------------------------------------

  bool report_cycle(Kind kind, bool in_real_time, const std::vector<Edge>& cycle) {
    if (cycle.empty()) return false;
    std::string description;
    for (const Edge& edge : cycle)
      if (edge.from < history_.attempts().size())
        description += text("\n  ", describe(edge.from), "\n    ", name_of(edge.dependency));
    anomalies_.push_back({kind, in_real_time, description});
    return true;
  }

  void report(Kind kind, std::string description) {
    if (anomalies_.size() < max_reported) anomalies_.push_back({kind, false, std::move(description)});
  }

  std::string describe(Node node) const {
    const Attempt& attempt = history_.attempts()[node];
    std::string result = text("attempt ", node, attempt.committed ? " (committed" : " (aborted");
    if (attempt.end != unknown_end) result += text(", ", attempt.begin, " to ", attempt.end);
    result += ")";
    for (const Operation& operation : operations_of(node))
      result += text(operation.kind == Operation::Kind::append ? " append " : " read ", operation.key, " ",
                     to_string(history_.values_of(operation)));
    return result;
  }

  static const char* name_of(Dependency dependency) {
    switch (dependency) {
      case Dependency::write_write:
        return "overwritten by";
      case Dependency::write_read:
        return "read by";
      case Dependency::read_write:
        return "did not see";
      case Dependency::real_time:
        break;
    }
    return "ended before";
  }

  std::span<const Operation> operations_of(Node attempt) const {
    return history_.operations_of(history_.attempts()[attempt]);
  }
  bool is_committed(Node attempt) const { return history_.attempts()[attempt].committed; }

  struct Read {
    Node attempt;
    Key key;
    std::size_t seen;  // values of others
  };

  const History& history_;
  std::unordered_map<Value, Origin> origins_;
  std::vector<Read> reads_;
  std::vector<Edge> edges_;
  std::size_t moments_ = 0;
  std::vector<Anomaly> anomalies_;
};

}  // namespace

const char* name_of(Anomaly::Kind kind) {
  constexpr std::array names = {"unwritten value",
                                "lost update",
                                "aborted read",
                                "intermediate read",
                                "incompatible order",
                                "internal",
                                "write cycle (G0)",
                                "read cycle (G1c)",
                                "cycle with one anti-dependency (G-single)",
                                "cycle of anti-dependencies (G2)"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<Anomaly> check(const History& history) { return Check(history).run(); }

}  // namespace perdure::history
