#include "options.h"

#include <gtest/gtest.h>

#include <charconv>
#include <cstdio>
#include <cstdlib>

namespace perdure::simulate {
namespace {

Options chosen;
std::string program;

struct NumericOption {
  std::string_view name;
  unsigned Options::* value;
};

constexpr NumericOption numeric[] = {
    {"--seconds=", &Options::seconds},
    {"--schedules=", &Options::schedules},
    {"--depth=", &Options::depth},
    {"--samples=", &Options::samples},
};
constexpr std::string_view replay = "--replay=";

[[noreturn]] void refuse(const std::string& argument) {
  std::fprintf(stderr, "%s is not an option; there are", argument.c_str());
  for (const NumericOption& option : numeric) std::fprintf(stderr, " %s<n>", std::string(option.name).c_str());
  std::fprintf(stderr, " %s<case> --all --sites\n", std::string(replay).c_str());
  std::exit(2);
}

bool read(std::string_view argument) {
  if (argument == "--all") return chosen.all = true;
  if (argument == "--sites") return chosen.sites = true;
  if (argument.starts_with(replay)) return (chosen.replay = Case::parse(argument.substr(replay.size()))).has_value();
  for (const NumericOption& option : numeric) {
    if (!argument.starts_with(option.name)) continue;
    const std::string_view text = argument.substr(option.name.size());
    return std::from_chars(text.begin(), text.end(), chosen.*option.value).ptr == text.end();
  }
  return false;
}

}  // namespace

const Options& options() { return chosen; }

std::string replay_command(const std::string& at) {
  const auto& test = *testing::UnitTest::GetInstance()->current_test_info();
  return program + " --gtest_filter=" + test.test_suite_name() + "." + test.name() + " --replay=" + at;
}

}  // namespace perdure::simulate

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  perdure::simulate::program = arguments[0];
  for (int i = 1; i < count; ++i)
    if (!perdure::simulate::read(arguments[i])) perdure::simulate::refuse(arguments[i]);
  perdure::simulate::register_tests();
  return RUN_ALL_TESTS();
}
