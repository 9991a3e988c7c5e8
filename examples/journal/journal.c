// A journal in C: every run adds a line, and prints what the earlier ones left.
//   perdure-cc -O2 journal.c -o journal && ./journal "first line"
#include <perdure/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
  struct entry* next;
  char text[];
};

// The root: made of zeros on first use.
struct journal {
  struct entry* latest;
  long entries;
};

struct addition {
  struct journal* journal;
  const char* text;
};

// The body of a transaction. It may run several times; 0 commits it, and anything else rolls it back.
static int add(void* argument) {
  const struct addition* addition = argument;
  struct entry* entry = malloc(sizeof(struct entry) + strlen(addition->text) + 1);  // in the pool
  if (entry == NULL) return 1;
  strcpy(entry->text, addition->text);
  entry->next = addition->journal->latest;
  addition->journal->latest = entry;
  addition->journal->entries += 1;
  return 0;
}

int main(int argc, char** argv) {
  perdure_pool* pool;
  struct journal* journal;
  if (perdure_pool_open("journal.pool", &pool) != PERDURE_OK ||
      perdure_root(pool, "journal", struct journal, &journal) != PERDURE_OK) {
    fprintf(stderr, "journal: %s\n", perdure_last_error());
    return EXIT_FAILURE;
  }
  struct addition addition = {journal, argc > 1 ? argv[1] : "another run"};
  if (perdure_transaction(add, &addition) != 0) {  // atomic, isolated, durable
    fprintf(stderr, "journal: nothing was added: %s\n", perdure_last_error());
    return EXIT_FAILURE;
  }
  printf("%ld entries\n", journal->entries);
  for (const struct entry* entry = journal->latest; entry != NULL; entry = entry->next) printf("%s\n", entry->text);
  return perdure_pool_close(pool) == PERDURE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
