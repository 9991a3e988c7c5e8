#include "temporary_file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string_view>

#include <unistd.h>

namespace perdure::benchmarks {

namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

// A signal handler may not allocate, so the names are kept where they can be reached as they are.
using Name = std::array<char, 4096>;
Name name_to_remove{};
// What lies beside a pool on a disk.
constexpr std::array<std::string_view, 2> suffixes{".log", ".sums"};
std::array<Name, suffixes.size()> others_to_remove{};

void keep(const std::filesystem::path& path, Name& name) {
  if (path.native().size() >= name.size())
    throw std::length_error(path.string() + ": the name is too long; choose another with --pool");
  name.fill('\0');
  path.native().copy(name.data(), name.size() - 1);
}

// A folder (of a peer) holds files of any names, and what walks through it allocates, so that is left to a program.
void remove_and_end(int signal) {
  if (unlink(name_to_remove.data()) != 0 && errno == EISDIR && _Fork() == 0) {
    execl("/bin/rm", "rm", "-rf", "--", name_to_remove.data(), nullptr);
    _exit(EXIT_FAILURE);
  }
  for (const Name& name : others_to_remove) unlink(name.data());
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void handle_with(void (*handler)(int)) {
  for (const int signal : ending_signals) std::signal(signal, handler);
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {
  keep(path_, name_to_remove);
  for (std::size_t i = 0; i < suffixes.size(); ++i) keep(path_.string().append(suffixes[i]), others_to_remove[i]);
  handle_with(remove_and_end);
}

TemporaryFile::~TemporaryFile() {
  handle_with(SIG_DFL);
  std::error_code ignored;  // a volatile library never made the file
  std::filesystem::remove_all(path_, ignored);
  for (const std::string_view suffix : suffixes) std::filesystem::remove(path_.string().append(suffix), ignored);
}

}  // namespace perdure::benchmarks
