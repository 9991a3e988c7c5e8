// std::regex on objects of the block's own.
#include <regex>
#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Regex {
  using Type = std::string;

  static Seen apply(Type& text, const Step& step) {
    if (step.choice % 3 == 0) return seen(text = step.text + "=" + std::to_string(step.number));
    const std::regex expression(step.choice % 3 == 1 ? "([0-9]+)x*=([[:digit:]]+)" : "X+", std::regex::icase);
    std::smatch match;
    const bool matches = std::regex_match(text, match, expression);
    const Seen result = matches ? seen(match[1].str()) + seen(match.str(2)) : 0;
    text = std::regex_replace(text, expression, "<$&>").substr(0, 100);
    return result + seen(text);
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Regex, Containers, ::testing::Types<Regex>);

}  // namespace
}  // namespace perdure::containers
