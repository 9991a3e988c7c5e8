#include "simulate/case.h"

#include <array>
#include <charconv>

namespace perdure::simulate {
namespace {

constexpr std::array<std::string_view, 3> kinds = {"sequential", "uniform", "priorities"};

/// Cuts off what comes before the first `separator`, or everything.
std::string_view take(std::string_view& text, char separator) {
  const auto end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  return part;
}

template <class Number>
bool read(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_schedule(std::string_view text, Strategy& schedule) {
  const std::string_view name = take(text, '-');
  for (std::size_t kind = 0; kind < kinds.size(); ++kind)
    if (kinds[kind] == name) {
      schedule.kind = static_cast<Strategy::Kind>(kind);
      return read(text, schedule.seed);
    }
  return false;
}

}  // namespace

std::string Case::spell() const {
  std::string text = std::string(kinds[static_cast<std::size_t>(schedule.kind)]) + "-" + std::to_string(schedule.seed);
  if (lot) text += "@" + std::to_string(*lot);
  for (const Crash& crash : crashes) {
    text += "/" + std::to_string(crash.event) + (crash.killed ? "k" : "");
    char separator = ':';
    for (const std::size_t choice : crash.choices) {
      text += separator + std::to_string(choice);
      separator = '.';
    }
  }
  return text;
}

std::optional<Case> Case::parse(std::string_view text) {
  Case result;
  std::string_view first = take(text, '/');
  if (!read_schedule(take(first, '@'), result.schedule)) return std::nullopt;
  if (!first.empty() && !read(first, result.lot.emplace())) return std::nullopt;
  while (!text.empty()) {
    std::string_view part = take(text, '/');
    Crash& crash = result.crashes.emplace_back();
    std::string_view event = take(part, ':');
    crash.killed = event.ends_with('k');
    if (crash.killed) event.remove_suffix(1);
    if (!read(event, crash.event)) return std::nullopt;
    while (!part.empty())
      if (!read(take(part, '.'), crash.choices.emplace_back())) return std::nullopt;
  }
  return result;
}

}  // namespace perdure::simulate
