#ifndef PERDURE_BENCHMARKS_TEMPORARY_FILE_H
#define PERDURE_BENCHMARKS_TEMPORARY_FILE_H

#include <filesystem>

namespace perdure::benchmarks {

/// Removes a file, or a folder with all that is in it, when the program ends: by itself, or by a signal that asks it to
/// (Ctrl-C, SIGTERM, SIGHUP). One at a time.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::filesystem::path path);
  ~TemporaryFile();

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

 private:
  std::filesystem::path path_;
};

}  // namespace perdure::benchmarks

#endif
