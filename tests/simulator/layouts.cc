// Blocks that tell what they hold.
#include <array>
#include <new>

#include "abi/block_layout.h"
#include "abi/entry_points.h"
#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct Node {
  std::uint64_t number;
  Node* next;
};

struct Nodes {
  Node* first = nullptr;
  std::uint64_t steps = 0;
};

struct Layout {
  alloc::BlockLayout head;
  alloc::LayoutWords words;
};

/// The nodes all have different layouts: what their superblock's descriptor names must be that, whenever a crash comes.
class LayoutsWorkload : public Stepped<Nodes> {
 protected:
  void step(Nodes& root, std::uint64_t number) override {
    Layout& layout = layouts_[number % layouts_.size()];
    layout = layout_of(number);
    TM_BEGIN {
      Node* const node = allocate(layout, bytes_);
      node->number = number;
      node->next = root.first;
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
      const alloc::BlockLayout* const known = alloc::heap_of(node)->layout_of(node);
      require(node->number == number && known != nullptr && *known == layout_of(number).head,
              "node " + std::to_string(number) + " has another layout than it was allocated with");
    }
    require(number == 0, "nodes are missing");
  }
  std::size_t blocks(Nodes&, std::uint64_t taken) const override { return taken; }

 private:
  static Layout layout_of(std::uint64_t number) {
    return {{0, static_cast<std::uint32_t>(64 + 8 * number), 0, 1, 0},
            {8, static_cast<std::uint32_t>(number), alloc::LayoutWords::Kind::pointer, 0, 0, 0, 0}};
  }
  PERDURE_PURE static void tell(Layout& layout) { perdure_set_block_layout(&layout.head); }
  static Node* allocate(Layout& layout, std::size_t bytes) {
    tell(layout);
    return static_cast<Node*>(::operator new(bytes));
  }

  std::array<Layout, 5> layouts_{};
  std::size_t bytes_ = 64;
};

}  // namespace

std::unique_ptr<Workload> make_layouts() { return std::make_unique<LayoutsWorkload>(); }

}  // namespace perdure::simulate
