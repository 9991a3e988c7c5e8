#ifndef PERDURE_TESTS_DISK_FOLDER_H
#define PERDURE_TESTS_DISK_FOLDER_H

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace perdure::disk {

/// A folder beside the test: on tmpfs there would be no disk below.
class Folder {
 public:
  Folder() {
    std::string name = "disk_test.XXXXXX";
    path_ = std::filesystem::absolute(mkdtemp(name.data()));
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const char* name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace perdure::disk

#endif
