// Preloaded into a program under test: makes every n-th call of one function of the C library fail, as it does on a
// disk that is full or broken, or when memory is short. FAILING_CALL names the function, FAILING_EVERY is n; each
// failure is reported on standard error, so that the test knows that there was one.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>

namespace {

/// Whether this call of `name` is to fail.
bool fails(const char* name) {
  static const char* const chosen = std::getenv("FAILING_CALL");
  if (chosen == nullptr || std::strcmp(chosen, name) != 0) return false;
  static const long every = std::atol(std::getenv("FAILING_EVERY"));
  static std::atomic<long> calls{0};
  if (++calls % every != 0) return false;
  const char said[] = "failing_calls: one has failed\n";
  return write(STDERR_FILENO, said, sizeof said - 1) > 0;
}

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

/// A function that returns `failed` and sets errno.
#define FAILING(type, name, parameters, arguments, failed, error)         \
  type name parameters {                                                  \
    if (!fails(#name)) return original<type parameters>(#name) arguments; \
    errno = error;                                                        \
    return failed;                                                        \
  }

extern "C" {

FAILING(void*, mmap, (void* address, size_t bytes, int protection, int flags, int file, off_t offset),
        (address, bytes, protection, flags, file, offset), MAP_FAILED, ENOMEM)
FAILING(int, ftruncate, (int file, off_t bytes), (file, bytes), -1, EIO)
FAILING(int, fsync, (int file), (file), -1, EIO)
FAILING(int, msync, (void* address, size_t bytes, int flags), (address, bytes, flags), -1, EIO)
FAILING(ssize_t, pwrite, (int file, const void* from, size_t bytes, off_t offset), (file, from, bytes, offset), -1,
        ENOSPC)
FAILING(ssize_t, pread, (int file, void* to, size_t bytes, off_t offset), (file, to, bytes, offset), -1, EIO)
FAILING(int, renameat2, (int from, const char* old_path, int to, const char* new_path, unsigned flags),
        (from, old_path, to, new_path, flags), -1, EIO)

FAILING(int, fdatasync, (int file), (file), -1, EIO)
FAILING(int, rename, (const char* from, const char* to), (from, to), -1, EIO)
FAILING(int, unlink, (const char* path), (path), -1, EIO)

/// Fails, or writes a part.
ssize_t pwritev2(int file, const iovec* vectors, int count, off_t offset, int flags) {
  const auto call = original<decltype(pwritev2)>("pwritev2");
  if (fails("pwritev2")) {
    errno = ENOSPC;
    return -1;
  }
  constexpr std::size_t part = 4096;
  if (count != 1 || vectors->iov_len <= part || !fails("short_pwritev2"))
    return call(file, vectors, count, offset, flags);
  const iovec shorter{vectors->iov_base, part};
  return call(file, &shorter, 1, offset, flags);
}

/// Returns its error.
int posix_fallocate(int file, off_t offset, off_t bytes) {
  if (fails("posix_fallocate")) return ENOSPC;
  return original<decltype(posix_fallocate)>("posix_fallocate")(file, offset, bytes);
}

int open(const char* path, int flags, ...) {
  std::va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  if (!fails("open")) return original<int(const char*, int, mode_t)>("open")(path, flags, mode);
  errno = EMFILE;
  return -1;
}

}  // extern "C"
