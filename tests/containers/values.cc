// std::optional, unique_ptr, pair, tuple.
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Optional {
  using Type = std::optional<std::string>;

  static Seen apply(Type& optional, const Step& step) {
    switch (step.choice % 6) {
      case 0:
        return optional.reset(), 0;
      case 1:
        return seen(optional.emplace(step.small, 'o'));
      case 2:
        return seen(optional.value_or(step.text));
      case 3: {
        Type other = step.text;
        optional.swap(other);
        return other.has_value() ? seen(*other) : 0;
      }
      case 4:
        return value(optional);
      default:
        optional = step.text;
        return seen(*optional);
    }
  }

 private:
  static Seen value(Type& optional) {
    try {
      optional.value() += "!";
      return optional.value().size();
    } catch (const std::bad_optional_access&) {
      return 5;
    }
  }
};

/// A search tree without balance, whose nodes own each other.
class Tree {
 public:
  bool insert(long key, const std::string& text) {
    std::unique_ptr<Node>& place = find(key);
    if (place != nullptr) return place->text = text, false;
    place = std::make_unique<Node>(Node{key, text, nullptr, nullptr});
    return true;
  }

  /// The smaller keys go to the left of the larger ones.
  bool erase(long key) {
    std::unique_ptr<Node>& place = find(key);
    if (place == nullptr) return false;
    const std::unique_ptr<Node> erased = std::move(place);
    place = std::move(erased->right);
    std::unique_ptr<Node>* leftmost = &place;
    while (*leftmost != nullptr) leftmost = &(*leftmost)->left;
    *leftmost = std::move(erased->left);
    return true;
  }

  void clear() { root_.reset(); }
  bool operator==(const Tree& other) const { return is_same(root_, other.root_); }

 private:
  struct Node {
    long key;
    std::string text;
    std::unique_ptr<Node> left;
    std::unique_ptr<Node> right;
  };

  std::unique_ptr<Node>& find(long key) {
    std::unique_ptr<Node>* place = &root_;
    while (*place != nullptr && (*place)->key != key) place = key < (*place)->key ? &(*place)->left : &(*place)->right;
    return *place;
  }

  static bool is_same(const std::unique_ptr<Node>& a, const std::unique_ptr<Node>& b) {
    if (a == nullptr || b == nullptr) return a == b;
    return a->key == b->key && a->text == b->text && is_same(a->left, b->left) && is_same(a->right, b->right);
  }

  std::unique_ptr<Node> root_;
};

struct UniquePointers {
  using Type = Tree;

  static Seen apply(Type& tree, const Step& step) {
    if (step.choice % 64 == 0) return tree.clear(), 0;
    if (step.choice % 3 == 0) return tree.erase(step.small) ? 1 : 0;
    return tree.insert(step.small, step.text) ? 1 : 0;
  }
};

struct Pair {
  using Type = std::pair<std::string, std::vector<long>>;

  static Seen apply(Type& pair, const Step& step) {
    switch (step.choice % 4) {
      case 0:
        pair = {step.text, {step.number, 2, 3}};
        return seen(pair.first);
      case 1:
        pair.second.push_back(step.number);
        return pair.second.size();
      case 2: {
        Type other = std::make_pair(step.text, pair.second);
        pair.swap(other);
        return pair < other ? 1 : 0;
      }
      default: {
        auto& [text, numbers] = pair;
        text.append(std::to_string(numbers.size() % 10));
        if (text.size() > 100) text.clear();
        return seen(text);
      }
    }
  }
};

struct Tuple {
  using Type = std::tuple<long, std::string, double, std::vector<std::string>>;

  static Seen apply(Type& tuple, const Step& step) {
    switch (step.choice % 4) {
      case 0:
        std::get<3>(tuple).push_back(step.text);
        return std::get<3>(tuple).size();
      case 1:
        tuple = std::make_tuple(step.number, step.text, 0.5 * step.small, std::get<3>(tuple));
        return 1;
      case 2: {
        auto& [number, text, real, texts] = tuple;
        std::tie(number, real) = std::make_tuple(number + 1, real * 1.25);
        return texts.size();
      }
      default: {
        Type other{step.number, "other", 1.5, {}};
        tuple.swap(other);
        return tuple < other ? 1 : 0;
      }
    }
  }
};

using Subjects = ::testing::Types<Optional, UniquePointers, Pair, Tuple>;
INSTANTIATE_TYPED_TEST_SUITE_P(Values, Containers, Subjects);

}  // namespace
}  // namespace perdure::containers
