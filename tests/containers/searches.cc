// Searches for one of several characters.
#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Searches {
  using Type = std::string;

  static Seen apply(Type& string, const Step& step) {
    switch (step.choice % 6) {
      case 0:
        return string.find_first_of("0123");
      case 1:
        return string.find_last_of(step.text);
      case 2:
        return string.find_first_not_of("0123456789", step.small);
      case 3:
        return string.find_last_not_of("x");
      default:
        return string = string.substr(string.size() / 2) + step.text, string.size();
    }
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Searches, Containers, ::testing::Types<Searches>);

}  // namespace
}  // namespace perdure::containers
