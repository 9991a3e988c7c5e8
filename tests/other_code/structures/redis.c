// What Redis keeps its data in: a hash table that grows step by step, a tree of texts, a set of integers, lists in one
// block, and strings. The table of functions that a hash table leads to is a variable.
#include <string.h>

#include "dict.h"
#include "intset.h"
#include "listpack.h"
#include "rax.h"
#include "sds.h"

struct structures {
  dict* table;
  rax* tree;
  intset* set;
  unsigned char* list;
};

#include "steps.h"

/// The rest of the server has these.
void _serverAssert(const char* condition, const char* file, int line) {
  (void)condition, (void)file, (void)line;
  abort();
}
void _serverPanic(const char* file, int line, const char* message, ...) {
  (void)file, (void)line, (void)message;
  abort();
}

static uint64_t hash_of(const void* key) { return dictGenHashFunction(key, sdslen((sds)key)); }
static int are_equal(dict* table, const void* one, const void* other) {
  (void)table;
  return sdscmp((sds)one, (sds)other) == 0;
}
static void release(dict* table, void* text) {
  (void)table;
  sdsfree(text);
}
static dictType texts = {hash_of, NULL, NULL, are_equal, release, release, NULL};

static void change_table(struct structures* all, int number) {
  sds key = sdscatprintf(sdsempty(), "key %d", number * 7919 % 1500);
  dictEntry* const entry = dictFind(all->table, key);
  if (entry == NULL) {
    dictAdd(all->table, key, sdsfromlonglong(number));
  } else if (number % 3 == 0) {
    dictDelete(all->table, key);
    sdsfree(key);
  } else {
    sds old = dictGetVal(entry);
    dictSetVal(all->table, entry, sdscatfmt(sdsdup(old), ".%i", number));
    sdsfree(old);
    sdsfree(key);
  }
}

static void change_tree(struct structures* all, int number) {
  char key[64];
  const int bytes = snprintf(key, sizeof key, "user:%d:%d", number % 50, number * 31 % 1000);
  raxInsert(all->tree, (unsigned char*)key, bytes, (void*)(uintptr_t)number, NULL);
  if (number % 4 == 0) {
    raxIterator iterator;
    raxStart(&iterator, all->tree);
    raxSeek(&iterator, ">=", (unsigned char*)"user:25", 7);
    if (raxNext(&iterator)) raxRemove(all->tree, iterator.key, iterator.key_len, NULL);
    raxStop(&iterator);
  }
}

static unsigned long long sum_of_table(dict* table) {
  unsigned long long sum = 0;
  dictIterator* const iterator = dictGetIterator(table);
  for (dictEntry* entry; (entry = dictNext(iterator)) != NULL;)
    sum = sum * 3 + sdslen(dictGetKey(entry)) + sdslen(dictGetVal(entry));
  dictReleaseIterator(iterator);
  return sum;
}

static void do_step(struct structures* all, int number) {
  if (all->table == NULL) {
    all->table = dictCreate(&texts);
    all->tree = raxNew();
    all->set = intsetNew();
    all->list = lpNew(0);
  }
  change_table(all, number);
  change_tree(all, number);
  unsigned char is_new = 0;
  all->set = intsetAdd(all->set, (int64_t)number * number * (number % 100 == 0 ? 1000000 : 1) % 5000000000, &is_new);
  char element[32];
  const int bytes = snprintf(element, sizeof element, "%d elements", number);
  all->list =
      number % 2 != 0 ? lpAppend(all->list, (unsigned char*)element, bytes) : lpAppendInteger(all->list, number);
  if (lpLength(all->list) > 200) all->list = lpDelete(all->list, lpFirst(all->list), NULL);
  snprintf(result, sizeof result, "table %lu tree %llu set %u list %lu of %zu bytes, sum %llu", dictSize(all->table),
           (unsigned long long)raxSize(all->tree), intsetLen(all->set), lpLength(all->list), lpBytes(all->list),
           number % 100 == 0 ? sum_of_table(all->table) : 0);
}
