#ifndef PERDURE_TESTS_SERIAL_UNSEEN_H
#define PERDURE_TESTS_SERIAL_UNSEEN_H

#include <cstddef>
#include <string>

/// Compiled without the plugin.
namespace unseen {

/// What has been printed so far.
extern std::string printed;
void print(const char* text, long number);

/// Reads memory as it is.
long read(const long& from);
void write(long& to, long value);

/// Sends the number to a thread behind a socket, which sends it back.
long echo(long number);

/// Calls `function(argument)` for each of the numbers below `count`.
void for_each(int count, void (*function)(void* argument, int number), void* argument);

void fail(const char* text);

/// new and delete that are not part of any transaction.
long* make(long value);
void drop(long* block);

}  // namespace unseen

#endif
