#include "losing_mount.h"

#define FUSE_USE_VERSION 31
#include <fcntl.h>
#include <fuse.h>
#include <linux/falloc.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace perdure::outside {
namespace {

LosingFiles& files() { return *static_cast<LosingFiles*>(fuse_get_context()->private_data); }

/// An open file lives on when its name is gone.
File& opened(fuse_file_info* info) { return *reinterpret_cast<File*>(info->fh); }

File file_of(const char* path, fuse_file_info* info) {
  return info != nullptr && info->fh != 0 ? opened(info) : files().find(path);
}

void* initialize(fuse_conn_info*, fuse_config* config) {
  // Nothing is believed that was there before a crash.
  config->attr_timeout = config->entry_timeout = config->negative_timeout = 0;
  config->kernel_cache = config->auto_cache = 0;
  config->hard_remove = 1;
  config->nullpath_ok = 1;
  config->use_ino = 1;
  return fuse_get_context()->private_data;
}

int get_attributes(const char* path, struct stat* status, fuse_file_info* info) {
  const File file = file_of(path, info);
  if (file == nullptr) return -ENOENT;
  *status = {};
  status->st_ino = file->number;
  status->st_mode = file->mode;
  status->st_nlink = 1;
  status->st_size = static_cast<off_t>(files().size_of(*file));
  status->st_blocks = (status->st_size + 511) / 512;
  status->st_blksize = 4096;
  return 0;
}

int make(const char* path, mode_t mode, fuse_file_info* info) {
  File file;
  if (const int error = files().create(path, mode | S_IFREG, file); error != 0) return error;
  info->fh = reinterpret_cast<std::uint64_t>(new File(std::move(file)));
  return 0;
}

int open_file(const char* path, fuse_file_info* info) {
  File file = files().find(path);
  if (file == nullptr) return -ENOENT;
  if ((info->flags & O_TRUNC) != 0 && files().size_of(*file) != 0)
    if (const int error = files().resize(*file, 0); error != 0) return error;
  info->fh = reinterpret_cast<std::uint64_t>(new File(std::move(file)));
  return 0;
}

int release(const char*, fuse_file_info* info) {
  delete &opened(info);
  return 0;
}

int read_file(const char*, char* data, std::size_t bytes, off_t offset, fuse_file_info* info) {
  return files().read(*opened(info), data, bytes, static_cast<std::size_t>(offset));
}

int write_file(const char*, const char* data, std::size_t bytes, off_t offset, fuse_file_info* info) {
  const bool durably = (info->flags & O_DSYNC) != 0;
  return files().write(*opened(info), data, bytes, static_cast<std::size_t>(offset), durably);
}

int resize_file(const char* path, off_t bytes, fuse_file_info* info) {
  const File file = file_of(path, info);
  return file == nullptr ? -ENOENT : files().resize(*file, static_cast<std::size_t>(bytes));
}

int allocate(const char*, int mode, off_t offset, off_t bytes, fuse_file_info* info) {
  const File& file = opened(info);
  const auto end = static_cast<std::size_t>(offset + bytes);
  if ((mode & FALLOC_FL_PUNCH_HOLE) != 0)
    return files().zero(*file, static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
  if ((mode & FALLOC_FL_KEEP_SIZE) != 0 || files().size_of(*file) >= end) return 0;
  return files().resize(*file, end);
}

int sync_file(const char* path, int, fuse_file_info* info) {
  const File file = file_of(path, info);
  return file == nullptr ? -ENOENT : files().sync(*file);
}

int make_folder(const char* path, mode_t mode) {
  File folder;
  return files().create(path, mode | S_IFDIR, folder);
}

int rename_file(const char* from, const char* to, unsigned flags) {
  constexpr unsigned no_replace = 1;
  if ((flags & no_replace) != 0 && files().find(to) != nullptr) return -EEXIST;
  return files().rename(from, to);
}

int remove_name(const char* path) { return files().remove(path); }

int read_folder(const char*, void* buffer, fuse_fill_dir_t fill, off_t, fuse_file_info* info, fuse_readdir_flags) {
  fill(buffer, ".", nullptr, 0, {});
  fill(buffer, "..", nullptr, 0, {});
  for (const std::string& name : files().names_in(files().path_of(opened(info))))
    fill(buffer, name.c_str(), nullptr, 0, {});
  return 0;
}

int open_folder(const char* path, fuse_file_info* info) { return open_file(path, info); }
int change_mode(const char*, mode_t, fuse_file_info*) { return 0; }
int change_owner(const char*, uid_t, gid_t, fuse_file_info*) { return 0; }
int change_times(const char*, const timespec*, fuse_file_info*) { return 0; }

fuse_operations operations() {
  fuse_operations all{};
  all.init = initialize;
  all.getattr = get_attributes;
  all.create = make;
  all.open = open_file;
  all.release = release;
  all.read = read_file;
  all.write = write_file;
  all.truncate = resize_file;
  all.fallocate = allocate;
  all.fsync = sync_file;
  all.fsyncdir = sync_file;
  all.mkdir = make_folder;
  all.rmdir = remove_name;
  all.unlink = remove_name;
  all.rename = rename_file;
  all.readdir = read_folder;
  all.opendir = open_folder;
  all.releasedir = release;
  all.chmod = change_mode;
  all.chown = change_owner;
  all.utimens = change_times;
  return all;
}

std::filesystem::path make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "losing.XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  return name;
}

}  // namespace

LosingMount::LosingMount(LosingFiles& files) : folder_(make_folder()) {
  char name[] = "losing_files";
  char option[] = "-o";
  char settings[] = "fsname=losing_files,allow_other,default_permissions";
  std::array<char*, 3> words = {name, option, settings};
  fuse_args arguments = FUSE_ARGS_INIT(static_cast<int>(words.size()), words.data());
  static const fuse_operations all = operations();
  handle_ = fuse_new(&arguments, &all, sizeof(all), &files);
  if (handle_ == nullptr || fuse_mount(handle_, folder_.c_str()) != 0)
    throw std::runtime_error("cannot mount a file system at " + folder_.string());
  thread_ = std::thread([this] { fuse_loop(handle_); });
}

LosingMount::~LosingMount() {
  fuse_exit(handle_);
  fuse_unmount(handle_);  // which wakes the thread up
  thread_.join();
  fuse_destroy(handle_);
  std::error_code none;
  std::filesystem::remove(folder_, none);
}

}  // namespace perdure::outside
