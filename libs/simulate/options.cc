#include "simulate/options.h"

#include <charconv>

namespace perdure::simulate {
namespace {

struct NumericOption {
  std::string_view name;
  unsigned Options::* value;
};

constexpr NumericOption numeric[] = {
    {"--depth=", &Options::depth}, {"--schedules=", &Options::schedules}, {"--samples=", &Options::samples},
    {"--seed=", &Options::seed},   {"--seconds=", &Options::seconds},
};
constexpr std::string_view replay_option = "--replay=";
constexpr std::string_view disk_option = "--disk";

}  // namespace

bool Options::read(std::string_view argument) {
  if (argument == disk_option) return is_on_disk = true;
  if (argument.starts_with(replay_option)) {
    const std::string_view text = argument.substr(replay_option.size());
    disk_replay = DiskCase::parse(text);
    if (disk_replay) return is_on_disk = true;
    return (replay = Case::parse(text)).has_value();
  }
  for (const NumericOption& option : numeric) {
    if (!argument.starts_with(option.name)) continue;
    const std::string_view text = argument.substr(option.name.size());
    const auto [end, error] = std::from_chars(text.begin(), text.end(), this->*option.value);
    return error == std::errc() && end == text.end();
  }
  return false;
}

std::string spell_options() {
  std::string text;
  for (const NumericOption& option : numeric) text += std::string(option.name) + "<n> ";
  return text + std::string(disk_option) + " " + std::string(replay_option) + "<case>";
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._+-=:,@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char character : word) quoted += character == '\'' ? "'\\''" : std::string(1, character);
  return quoted + "'";
}

std::vector<Strategy> mixed_schedules(std::size_t count, std::uint64_t first_seed) {
  std::vector<Strategy> schedules;
  for (std::uint64_t seed = first_seed; schedules.size() < count; ++seed) {
    schedules.push_back({Strategy::Kind::priorities, seed});
    schedules.push_back({Strategy::Kind::uniform, seed});
  }
  return schedules;
}

}  // namespace perdure::simulate
