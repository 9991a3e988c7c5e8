#include "temporary_file.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include <unistd.h>

namespace perdure::benchmarks {

namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP};

// A signal handler may not allocate, so the name is kept where it can be reached as it is.
std::array<char, 4096> name_to_remove{};

// A folder (of a peer) holds files of any names, and what walks through it allocates, so that is left to a program.
void remove_and_end(int signal) {
  if (unlink(name_to_remove.data()) != 0 && errno == EISDIR && _Fork() == 0) {
    execl("/bin/rm", "rm", "-rf", "--", name_to_remove.data(), nullptr);
    _exit(EXIT_FAILURE);
  }
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void handle_with(void (*handler)(int)) {
  for (const int signal : ending_signals) std::signal(signal, handler);
}

}  // namespace

TemporaryFile::TemporaryFile(std::filesystem::path path) : path_(std::move(path)) {
  if (path_.native().size() >= name_to_remove.size()) {
    throw std::length_error(path_.string() + ": the name is too long; choose another with --pool");
  }
  name_to_remove.fill('\0');
  path_.native().copy(name_to_remove.data(), name_to_remove.size() - 1);
  handle_with(remove_and_end);
}

TemporaryFile::~TemporaryFile() {
  handle_with(SIG_DFL);
  std::error_code ignored;  // a volatile library never made the file
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace perdure::benchmarks
