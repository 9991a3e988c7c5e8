// {fmt}, of which the headers alone are used.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include <string>

#include "typed_tests.h"

namespace perdure::containers {
namespace {

struct Fmt {
  using Type = std::string;

  static Seen apply(Type& text, const Step& step) {
    text = fmt::format("{:>20}|{}|{:#x}|{:.3f}|{}", step.text, step.number, step.small,
                       static_cast<double>(step.number) / 3, text.substr(0, 40));
    fmt::format_to(std::back_inserter(text), "{:05}", step.small);
    return seen(text);
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Fmt, Containers, ::testing::Types<Fmt>);

}  // namespace
}  // namespace perdure::containers
