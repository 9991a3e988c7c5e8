// A program of several files, none of whose functions has a mark.
#ifdef __cplusplus
#include <cstddef>
#include <cstdint>
extern "C" {
#else
#include <stddef.h>
#include <stdint.h>
#endif

struct Shared {
  uint8_t byte;
  uint16_t half;
  uint32_t word;
  uint64_t count;
  float real;
  double precise;
  char text[24];
};

uint64_t in_c(struct Shared* shared);

extern void (*dropper)(void*);
extern void (*direct_dropper)(void*);
extern void* (*maker)(size_t);
void release(void* block);

#ifdef __cplusplus
}

using Step = std::uint64_t (*)(Shared&);

std::uint64_t called(Shared& shared);
std::uint64_t apply(Step step, Shared& shared);

// Only their addresses are taken, and not in the file that defines them.
std::uint64_t address_only(Shared& shared);
std::uint64_t other_address_only(Shared& shared);

struct Shape {
  virtual ~Shape();
  virtual std::uint64_t grow(Shared& shared) = 0;
};
Shape* make_shape(int kind);
#endif
