#include "options.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "log/replica_set.h"

namespace perdure::simulate {
namespace {

TestOptions chosen;
std::string program;
constexpr const char* copies_option = "--copies=";

[[noreturn]] void refuse(const std::string& argument) {
  std::fprintf(stderr, "%s is not an option; there are %s --all --sites %s<n>\n", argument.c_str(),
               spell_options().c_str(), copies_option);
  std::exit(2);
}

bool read(std::string_view argument) {
  if (argument == "--all") return chosen.all = true;
  if (argument == "--sites") return chosen.sites = true;
  if (argument.starts_with(copies_option)) {
    log::ReplicaSet::default_copies = static_cast<log::Copy>(std::atoi(argument.data() + std::strlen(copies_option)));
    return log::ReplicaSet::default_copies > 1 && log::ReplicaSet::default_copies <= log::most_copies;
  }
  return chosen.read(argument);
}

}  // namespace

const TestOptions& options() { return chosen; }

std::string replay_command(const std::string& at) {
  const auto& test = *testing::UnitTest::GetInstance()->current_test_info();
  const std::string name = std::string(test.test_suite_name()) + "." + test.name();
  const log::Copy copies = log::ReplicaSet::default_copies;
  return shell_word(program) + " --gtest_filter=" + shell_word(name) + " " +
         (copies == 0 ? std::string() : copies_option + std::to_string(copies) + " ") + "--replay=" + at;
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
