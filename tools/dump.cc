#include <cctype>

#include "commands.h"
#include "hexadecimal.h"
#include "pool/refuse.h"
#include "pool_file.h"

namespace perdure::tools {
namespace {

constexpr std::size_t bytes_in_line = 16;

unsigned char byte_at(const std::string& hexadecimal, std::size_t number) {
  return static_cast<unsigned char>(std::stoi(hexadecimal.substr(2 * number, 2), nullptr, 16));
}

}  // namespace

Document dump(const std::filesystem::path& path, const std::string& name) {
  const opening::OpenPool pool = open_for_reading(path);
  const roots::Root& root = find_root(pool, name);
  return {{"root", name},
          {"type", root.type_name.data()},
          {"address", pool::spell_address(reinterpret_cast<std::uintptr_t>(root.object))},
          {"bytes", spell_hexadecimal(bytes_of(root))}};
}

std::string spell_dump(const Document& dumped) {
  const std::string bytes = dumped["bytes"];
  const std::uint64_t address = std::stoull(dumped["address"].get<std::string>(), nullptr, 16);
  std::string text;
  for (std::size_t line = 0; line < bytes.size() / 2; line += bytes_in_line) {
    std::string numbers;
    std::string characters;
    for (std::size_t i = line; i < line + bytes_in_line; ++i) {
      const bool is_there = i < bytes.size() / 2;
      numbers += is_there ? " " + bytes.substr(2 * i, 2) : "   ";
      if (is_there) characters += std::isprint(byte_at(bytes, i)) != 0 ? static_cast<char>(byte_at(bytes, i)) : '.';
    }
    text += pool::spell_address(address + line) + " " + numbers + "  " + characters + "\n";
  }
  return text;
}

}  // namespace perdure::tools
