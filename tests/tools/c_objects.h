#ifndef PERDURE_TESTS_TOOLS_C_OBJECTS_H
#define PERDURE_TESTS_TOOLS_C_OBJECTS_H

struct journal {
  enum { empty, filled } state;
  struct {
    long first;
  } range;
};
typedef struct journal journal_t;

#endif
