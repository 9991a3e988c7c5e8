#include "simulate/symbols.h"

#include <dlfcn.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>

namespace perdure::simulate {
namespace {

std::string read_line(FILE* from) {
  std::array<char, 4096> line{};
  if (std::fgets(line.data(), line.size(), from) == nullptr) return {};
  std::string text(line.data());
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

/// "file:line:column"
Frame parse(const std::string& function, std::string place) {
  place.resize(place.rfind(':'));
  const auto colon = place.rfind(':');
  return {function, place.substr(0, colon), place.substr(colon + 1)};
}

}  // namespace

std::vector<Frame> frames_at(const void* address) {
  Dl_info program{};
  if (dladdr(address, &program) == 0) return {};
  const auto offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(program.dli_fbase) - 1;
  std::array<char, 256> command{};
  std::snprintf(command.data(), command.size(),
                PERDURE_SYMBOLIZER " --obj=/proc/%d/exe --functions=short 0x%zx 2>/dev/null",
                static_cast<int>(getpid()), static_cast<std::size_t>(offset));
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.data(), "r"), pclose);
  if (pipe == nullptr) return {};
  std::vector<Frame> frames;
  for (;;) {
    const std::string function = read_line(pipe.get());
    const std::string place = read_line(pipe.get());
    if (function.empty() || place.find(':') == std::string::npos) return frames;
    frames.push_back(parse(function, place));
  }
}

}  // namespace perdure::simulate
