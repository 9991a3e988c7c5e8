#include "tests/serial/unseen.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <thread>

namespace unseen {

std::string printed;

void print(const char* text, long number) { printed += text + std::to_string(number) + ";"; }

[[gnu::noinline]] long read(const long& from) { return from; }
[[gnu::noinline]] void write(long& to, long value) { to = value; }

long echo(long number) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) throw std::runtime_error("socketpair");
  std::thread other([end = ends[1]] {
    long received = 0;
    if (::read(end, &received, sizeof received) == sizeof received)
      static_cast<void>(::write(end, &received, sizeof received));
  });
  long result = 0;
  const bool is_fine = ::write(ends[0], &number, sizeof number) == sizeof number &&
                       ::read(ends[0], &result, sizeof result) == sizeof result;
  other.join();
  for (const int end : ends) close(end);
  if (!is_fine) throw std::runtime_error("socket");
  return result;
}

void for_each(int count, void (*function)(void*, int), void* argument) {
  for (int number = 0; number < count; ++number) function(argument, number);
}

void fail(const char* text) { throw std::runtime_error(text); }

long* make(long value) { return new long(value); }
void drop(long* block) { delete block; }

}  // namespace unseen
