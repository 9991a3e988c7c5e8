// Clones of further functions of C and POSIX that read or write memory: random numbers with a state of the caller, what
// they know of the system, addresses, names (libs/abi/c_library.def). The C library is called on copies.
#include <arpa/inet.h>
#include <fnmatch.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "abi/entry_points.h"
#include "c/library/private_memory.h"
#include "c/library/text_reader.h"
#include "c/library/thread_results.h"

namespace {

using namespace perdure::c;

using Seed = std::array<unsigned short, 3>;

template <class Draw>
auto draw(unsigned short* seed, Draw&& draw_from) {
  return updating(reinterpret_cast<Seed*>(seed), [&](Seed* copy) { return draw_from(copy->data()); });
}

/// What the C library has written to a buffer of the caller: the text in it.
template <class Fill>
auto filling(char* to, std::size_t size, Fill&& fill) {
  PrivateMemory memory;
  auto* const text = memory.room_for<char>(size + 1);
  std::memset(text, 0, size + 1);
  const auto result = setting_errno([&] { return fill(text); });
  if (size > 0) perdure_write_bytes(to, text, std::min(std::strlen(text) + 1, size));
  return result;
}

/// basename and dirname may end the path where they want, and return a part of it, or text of their own.
template <class Function>
char* part_of_path(char* path, Function&& function) {
  PrivateMemory memory;
  char* const copy = copy_text(memory, path);
  const std::size_t length = copy == nullptr ? 0 : std::strlen(copy);
  char* const before = copy_text(memory, path);
  char* const part = function(copy);
  for (std::size_t i = 0; i < length; ++i)
    if (copy[i] != before[i]) write_variable(path + i, copy[i]);
  return copy <= part && part <= copy + length ? path + (part - copy) : part;
}

/// The three users or groups of a process.
template <class Id, class Function>
int writing_three(Id* real, Id* effective, Id* saved, Function&& function) {
  std::array<Id, 3> ids{};
  const int result = setting_errno([&] { return function(&ids[0], &ids[1], &ids[2]); });
  if (result != 0) return result;
  write_variable(real, ids[0]);
  write_variable(effective, ids[1]);
  write_variable(saved, ids[2]);
  return result;
}

template <class Function>
speed_t speed_of(const termios* settings, Function&& function) {
  const termios copy = read_variable(settings);
  return function(&copy);
}

}  // namespace

extern "C" {

int perdure_tm_rand_r(unsigned* seed) { return updating(seed, rand_r); }
double perdure_tm_erand48(unsigned short* seed) { return draw(seed, erand48); }
long perdure_tm_nrand48(unsigned short* seed) { return draw(seed, nrand48); }
long perdure_tm_jrand48(unsigned short* seed) { return draw(seed, jrand48); }

void perdure_tm_lcong48(unsigned short* parameters) {
  std::array<unsigned short, 7> copy = read_variable(reinterpret_cast<std::array<unsigned short, 7>*>(parameters));
  lcong48(copy.data());
}

char* perdure_tm_getenv(const char* name) {
  PrivateMemory memory;
  return getenv(copy_text(memory, name));
}
char* perdure_tm_secure_getenv(const char* name) {
  PrivateMemory memory;
  return secure_getenv(copy_text(memory, name));
}
int perdure_tm_uname(utsname* to) { return writing_if_zero(to, uname); }
int perdure_tm_gethostname(char* to, std::size_t size) {
  return filling(to, size, [=](char* text) { return gethostname(text, size); });
}
std::size_t perdure_tm_confstr(int name, char* to, std::size_t size) {
  return filling(to, to == nullptr ? 0 : size,
                 [=](char* text) { return confstr(name, text, to == nullptr ? 0 : size); });
}
int perdure_tm_getgroups(int count, gid_t* to) {
  PrivateMemory memory;
  auto* const groups = memory.room_for<gid_t>(static_cast<std::size_t>(std::max(count, 0)));
  const int result = setting_errno([&] { return getgroups(count, groups); });
  if (count > 0 && result > 0) perdure_write_bytes(to, groups, static_cast<std::size_t>(result) * sizeof(gid_t));
  return result;
}
int perdure_tm_getresuid(uid_t* real, uid_t* effective, uid_t* saved) {
  return writing_three(real, effective, saved, getresuid);
}
int perdure_tm_getresgid(gid_t* real, gid_t* effective, gid_t* saved) {
  return writing_three(real, effective, saved, getresgid);
}
speed_t perdure_tm_cfgetispeed(const termios* settings) { return speed_of(settings, cfgetispeed); }
speed_t perdure_tm_cfgetospeed(const termios* settings) { return speed_of(settings, cfgetospeed); }
int perdure_tm_cfsetispeed(termios* settings, speed_t speed) {
  return updating(settings, [=](termios* copy) { return cfsetispeed(copy, speed); });
}
int perdure_tm_cfsetospeed(termios* settings, speed_t speed) {
  return updating(settings, [=](termios* copy) { return cfsetospeed(copy, speed); });
}
int perdure_tm_getrlimit(__rlimit_resource_t resource, rlimit* to) {
  return writing_if_zero(to, [=](rlimit* limit) { return getrlimit(resource, limit); });
}

int perdure_tm_sigemptyset(sigset_t* set) { return writing_if_zero(set, sigemptyset); }
int perdure_tm_sigfillset(sigset_t* set) { return writing_if_zero(set, sigfillset); }
int perdure_tm_sigaddset(sigset_t* set, int signal) {
  return updating(set, [=](sigset_t* copy) { return sigaddset(copy, signal); });
}
int perdure_tm_sigdelset(sigset_t* set, int signal) {
  return updating(set, [=](sigset_t* copy) { return sigdelset(copy, signal); });
}
int perdure_tm_sigismember(const sigset_t* set, int signal) {
  const sigset_t copy = read_variable(set);
  return setting_errno([&] { return sigismember(&copy, signal); });
}

// Both functions of this name: that of POSIX, and that of GNU, which returns text.
int perdure_tm___xpg_strerror_r(int error, char* to, std::size_t size) {
  const char* const text = strerrordesc_np(error);
  char unknown[40];
  if (text == nullptr) snprintf(unknown, sizeof(unknown), "Unknown error %d", error);
  const std::size_t length = std::strlen(text != nullptr ? text : unknown);
  const std::size_t copied = std::min(length, size == 0 ? 0 : size - 1);
  if (size > 0) {
    perdure_write_bytes(to, text != nullptr ? text : unknown, copied);
    write_variable(to + copied, '\0');
  }
  return text == nullptr ? EINVAL : copied < length ? ERANGE : 0;
}
char* perdure_tm_strerror_r(int error, char* to, std::size_t size) {
  PrivateMemory memory;
  auto* const buffer = memory.room_for<char>(size + 1);
  char* const text = strerror_r(error, buffer, size);
  if (text != buffer) return text;
  perdure_write_bytes(to, buffer, std::strlen(buffer) + 1);
  return to;
}

int perdure_tm_getsubopt(char** options, char* const* names, char** value) {
  PrivateMemory memory;
  char* const text = read_variable(options);
  const char* const copy = copy_text(memory, text);
  const std::size_t length = static_cast<std::size_t>(strchrnul(copy, ',') - copy);
  const auto* const separator = static_cast<const char*>(std::memchr(copy, '=', length));
  const std::size_t length_of_name = separator == nullptr ? length : static_cast<std::size_t>(separator - copy);
  if (length == 0 && copy[0] == '\0') return -1;
  const bool is_last = copy[length] == '\0';
  if (!is_last) write_variable(text + length, '\0');
  write_variable(options, text + length + (is_last ? 0 : 1));
  for (int i = 0; const char* const name = read_variable(names + i); ++i) {
    PrivateMemory memory_of_name;
    const char* const name_copy = copy_text(memory_of_name, name);
    if (std::strlen(name_copy) != length_of_name || std::memcmp(name_copy, copy, length_of_name) != 0) continue;
    write_variable(value, separator == nullptr ? nullptr : text + length_of_name + 1);
    return i;
  }
  write_variable(value, text);
  return -1;
}

int perdure_tm_fnmatch(const char* pattern, const char* text, int flags) {
  PrivateMemory memory;
  const char* const pattern_copy = copy_text(memory, pattern);
  return fnmatch(pattern_copy, copy_text(memory, text), flags);
}
char* perdure_tm___xpg_basename(char* path) { return part_of_path(path, __xpg_basename); }
char* perdure_tm_dirname(char* path) { return part_of_path(path, dirname); }
/// GNU's, which changes nothing.
char* perdure_tm_basename(char* path) {
  std::size_t part = 0;
  TextReader<char> reader(path);
  for (std::size_t i = 0; reader[i] != '\0'; ++i)
    if (reader[i] == '/') part = i + 1;
  return path + part;
}

/// The result is the thread's own.
char* perdure_tm_inet_ntoa(in_addr address) {
  auto& result = thread_results().internet_address;
  std::remove_reference_t<decltype(result)> text{};
  inet_ntop(AF_INET, &address, text.data(), text.size());
  perdure_write_bytes(result.data(), text.data(), text.size());
  return result.data();
}
in_addr_t perdure_tm_inet_addr(const char* text) {
  PrivateMemory memory;
  return inet_addr(copy_text(memory, text));
}
in_addr_t perdure_tm_inet_network(const char* text) {
  PrivateMemory memory;
  return inet_network(copy_text(memory, text));
}
int perdure_tm_inet_pton(int family, const char* text, void* to) {
  PrivateMemory memory;
  std::array<std::byte, sizeof(in6_addr)> address;
  const char* const copy = copy_text(memory, text);
  const int result = setting_errno([&] { return inet_pton(family, copy, address.data()); });
  if (result == 1) perdure_write_bytes(to, address.data(), family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr));
  return result;
}
const char* perdure_tm_inet_ntop(int family, const void* from, char* to, socklen_t size) {
  std::array<std::byte, sizeof(in6_addr)> address{};
  std::array<char, INET6_ADDRSTRLEN> text;
  if (family == AF_INET || family == AF_INET6)
    perdure_read_bytes(address.data(), from, family == AF_INET ? sizeof(in_addr) : sizeof(in6_addr));
  const socklen_t room = std::min<socklen_t>(size, text.size());
  const bool is_done = setting_errno([&] { return inet_ntop(family, address.data(), text.data(), room); }) != nullptr;
  if (is_done) perdure_write_bytes(to, text.data(), std::strlen(text.data()) + 1);
  return is_done ? to : nullptr;
}

}  // extern "C"
