#ifndef PERDURE_TESTS_POOL_POOL_TEST_H
#define PERDURE_TESTS_POOL_POOL_TEST_H

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "perdure/error.h"
#include "pool/format.h"

namespace perdure::testing {

/// A directory of its own for each test, with a space in its name, removed afterwards.
class PoolTest : public ::testing::Test {
 protected:
  PoolTest() : outside_(std::filesystem::temp_directory_path()) {
    std::string name = (outside_ / "perdure pool XXXXXX").string();
    directory_ = mkdtemp(name.data());
    // A death test may execute the program anew, whose directory nobody removes: so it is in this one.
    setenv("TMPDIR", directory_.c_str(), 1);
  }
  ~PoolTest() override {
    setenv("TMPDIR", outside_.c_str(), 1);
    std::filesystem::remove_all(directory_);
  }

  std::filesystem::path in_directory(const std::string& name) const { return directory_ / name; }
  std::filesystem::path path() const { return in_directory("a.pool"); }

  std::filesystem::path outside_;
  std::filesystem::path directory_;
};

inline std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(file ? std::filesystem::file_size(path) : 0, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

inline void write_all(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << bytes;
}

inline void flip_byte(const std::filesystem::path& path, std::uint64_t offset) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekg(static_cast<std::streamoff>(offset));
  const char byte = static_cast<char>(file.get());
  file.seekp(static_cast<std::streamoff>(offset));
  file.put(static_cast<char>(byte ^ 0x10));
}

/// Runs `body` in a child process. \returns how it ended, as waitpid says.
template <class Body>
int in_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

/// Two processes that wait for each other.
class Pipe {
 public:
  Pipe() {
    if (pipe(ends_) != 0) throw std::runtime_error("no pipe");
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    for (const int end : ends_) close(end);
  }
  void signal() const { [[maybe_unused]] const auto put = write(ends_[1], "x", 1); }
  void wait() const {
    char byte = 0;
    [[maybe_unused]] const auto got = read(ends_[0], &byte, 1);
  }

 private:
  int ends_[2];
};

/// Whether `body` throws a PoolError of this kind whose text names `path` and contains `part`.
template <class Body>
::testing::AssertionResult refuses(Body&& body, PoolError::Kind kind, const std::filesystem::path& path,
                                   const std::string& part) {
  try {
    body();
  } catch (const PoolError& error) {
    const std::string what = error.what();
    const bool as_expected = error.kind() == kind && error.path() == path && what.find(path.string()) != what.npos &&
                             what.find(part) != what.npos;
    if (as_expected) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "kind " << static_cast<int>(error.kind()) << ": " << what;
  }
  return ::testing::AssertionFailure() << "nothing was thrown";
}

}  // namespace perdure::testing

#endif
