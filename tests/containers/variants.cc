// std::variant.
#include <string>
#include <variant>
#include <vector>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Variant {
  using Type = std::variant<long, std::string, std::vector<long>>;

  static Seen apply(Type& variant, const Step& step) {
    switch (step.choice % 6) {
      case 0:
        variant = step.number;
        return variant.index();
      case 1:
        variant = step.text;
        return variant.index();
      case 2:
        return variant.emplace<std::vector<long>>(step.small, step.number).size();
      case 3:
        return get(variant);
      case 4: {
        Type copy = variant;
        std::swap(copy, variant);
        return copy == variant ? 1 : 0;
      }
      default:
        return std::visit([](const auto& alternative) { return sizeof(alternative); }, variant);
    }
  }

 private:
  static Seen get(Type& variant) {
    if (auto* const numbers = std::get_if<std::vector<long>>(&variant)) return numbers->push_back(1), numbers->size();
    try {
      return seen(std::get<std::string>(variant) += "?");
    } catch (const std::bad_variant_access&) {
      return 9;
    }
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Variants, Containers, ::testing::Types<Variant>);

}  // namespace
}  // namespace perdure::containers
