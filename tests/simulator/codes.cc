// Objects that lead to code and to constants of the program, whose names enter the pool as the first objects do.
#include <new>
#include <string_view>

#include "alloc/heap.h"
#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Node {
  virtual ~Node() = default;
  [[perdure::pure]] virtual std::uint64_t number() const = 0;
  Node* next = nullptr;
  const std::uint64_t* constant = nullptr;
  const char* text = nullptr;
};

constexpr std::uint64_t constants[] = {10, 11, 12, 13};
constexpr const char* texts[] = {"none", "one", "two", "three"};

template <std::uint64_t Number>
struct Numbered : Node {
  [[perdure::pure]] std::uint64_t number() const override { return Number; }
};

struct Nodes {
  Node* first = nullptr;
  std::uint64_t steps = 0;
};

/// Each node is of another type. Whenever a crash comes, what a node's pointers to the program stand for must be known,
/// and be what belongs to its type.
class CodesWorkload : public Stepped<Nodes> {
 protected:
  void step(Nodes& root, std::uint64_t number) override {
    TM_BEGIN {
      Node* const node = make(number);
      node->next = root.first;
      node->constant = &constants[number % types];
      node->text = texts[number % types];
      root.first = node;
      root.steps = number;
    } TM_END;
  }
  std::uint64_t steps_taken(Nodes& root) override {
    return execute([&] { return root.steps; });
  }
  void check(Nodes& root, std::uint64_t taken) override {
    std::uint64_t number = taken;
    for (const Node* node = root.first; node != nullptr && number != 0; node = node->next, --number) {
      const auto table = *reinterpret_cast<const std::uintptr_t*>(node);
      require(!alloc::heap_of(node)->codes().name_at(table).empty(),
              "the type of node " + std::to_string(number) + " has no name");
      require(node->number() == number % types, "node " + std::to_string(number) + " is of another type");
      require(*node->constant == constants[number % types] && std::string_view(node->text) == texts[number % types],
              "node " + std::to_string(number) + " leads to other constants");
    }
    require(number == 0, "nodes are missing");
  }
  std::size_t blocks(Nodes&, std::uint64_t taken) const override { return taken; }

 private:
  static constexpr std::uint64_t types = 4;
  PERDURE_SAFE static Node* make(std::uint64_t number) {
    switch (number % types) {
      case 0:
        return new Numbered<0>;
      case 1:
        return new Numbered<1>;
      case 2:
        return new Numbered<2>;
      default:
        return new Numbered<3>;
    }
  }
};

}  // namespace

std::unique_ptr<Workload> make_codes() { return std::make_unique<CodesWorkload>(); }

}  // namespace perdure::simulate
