// A program of RocksDB's C interface. What it prints is the same over RocksDB and over Perdure's store.
//   program steps <folder>   goes through the interface
//   program fill <folder>    until it is killed: each batch gives the keys of two families its number, which it prints
//                            when that was acknowledged with `sync`
//   program check <folder>   prints the number of the last batch, if all keys have it
//   program threads <folder> several write batches over two families, while others look at all keys of a moment
//   program refused <folder> tries what only Perdure's store refuses
#include <rocksdb/c.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* error = NULL;

static void fail(const char* what) {
  fprintf(stderr, "program: %s: %s\n", what, error == NULL ? "" : error);
  exit(1);
}

static void expect_success(const char* what) {
  if (error != NULL) fail(what);
}

// Prints an error without the name of the folder, which differs.
static void print_error(const char* what, const char* folder) {
  char* const name = error == NULL ? NULL : strstr(error, folder);
  if (name != NULL) memmove(name, name + strlen(folder), strlen(name + strlen(folder)) + 1);
  printf("%s: %s\n", what, error == NULL ? "OK" : error);
  rocksdb_free(error);
  error = NULL;
}

static rocksdb_options_t* options;
static rocksdb_readoptions_t* reading;
static rocksdb_writeoptions_t* writing;

static void put(rocksdb_t* database, rocksdb_column_family_handle_t* family, const char* key, const char* value) {
  rocksdb_put_cf(database, writing, family, key, strlen(key), value, strlen(value), &error);
  expect_success("put");
}

static void print_value(const char* key, const char* value, size_t size) {
  if (value == NULL)
    printf("%s: none\n", key);
  else
    printf("%s: %.*s\n", key, (int)size, value);
}

static void print_key(rocksdb_t* database, rocksdb_column_family_handle_t* family, const char* key) {
  size_t size = 0;
  char* const value = rocksdb_get_cf(database, reading, family, key, strlen(key), &size, &error);
  expect_success("get");
  print_value(key, value, size);
  rocksdb_free(value);
}

static void print_position(const rocksdb_iterator_t* at) {
  if (!rocksdb_iter_valid(at)) {
    printf(" end");
    return;
  }
  size_t key_size = 0, value_size = 0;
  const char* const key = rocksdb_iter_key(at, &key_size);
  const char* const value = rocksdb_iter_value(at, &value_size);
  printf(" %.*s=%.*s", (int)key_size, key, (int)value_size, value);
}

static void print_all(rocksdb_t* database, rocksdb_column_family_handle_t* family, const char* what) {
  rocksdb_iterator_t* const at = rocksdb_create_iterator_cf(database, reading, family);
  printf("%s upwards:", what);
  for (rocksdb_iter_seek_to_first(at); rocksdb_iter_valid(at); rocksdb_iter_next(at)) print_position(at);
  printf("\n%s downwards:", what);
  for (rocksdb_iter_seek_to_last(at); rocksdb_iter_valid(at); rocksdb_iter_prev(at)) print_position(at);
  rocksdb_iter_get_error(at, &error);
  expect_success("iterator");
  rocksdb_iter_destroy(at);
  printf("\n");
}

static void print_seeks(rocksdb_t* database, rocksdb_column_family_handle_t* family, const char* key) {
  rocksdb_iterator_t* const at = rocksdb_create_iterator_cf(database, reading, family);
  printf("seek %s:", key);
  rocksdb_iter_seek(at, key, strlen(key));
  print_position(at);
  if (rocksdb_iter_valid(at)) {
    rocksdb_iter_prev(at);
    print_position(at);
  }
  printf("; for prev:");
  rocksdb_iter_seek_for_prev(at, key, strlen(key));
  print_position(at);
  if (rocksdb_iter_valid(at)) {
    rocksdb_iter_next(at);
    print_position(at);
  }
  printf("\n");
  rocksdb_iter_destroy(at);
}

static int compare_backwards(void* state, const char* left, size_t left_size, const char* right, size_t right_size) {
  (void)state;
  const size_t size = left_size < right_size ? left_size : right_size;
  const int difference = memcmp(right, left, size);
  return difference != 0 ? difference : (int)right_size - (int)left_size;
}

static const char* name_backwards(void* state) {
  (void)state;
  return "backwards";
}

static void nothing(void* state) { (void)state; }

static void print_put(void* state, const char* key, size_t key_size, const char* value, size_t value_size) {
  (void)state;
  printf(" put %.*s=%.*s", (int)key_size, key, (int)value_size, value);
}

static void print_deleted(void* state, const char* key, size_t size) {
  (void)state;
  printf(" delete %.*s", (int)size, key);
}

static void write_batch(rocksdb_t* database, rocksdb_writebatch_t* batch, const char* what) {
  rocksdb_write(database, writing, batch, &error);
  expect_success(what);
}

static void batches(rocksdb_t* database, rocksdb_column_family_handle_t* first,
                    rocksdb_column_family_handle_t* second) {
  rocksdb_writebatch_t* const batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "one", 3, "1", 1);
  rocksdb_writebatch_delete(batch, "two", 3);
  const char* parts[] = {"th", "ree"};
  const size_t sizes[] = {2, 3};
  rocksdb_writebatch_putv(batch, 2, parts, sizes, 1, parts, sizes);
  printf("batch of %d:", rocksdb_writebatch_count(batch));
  rocksdb_writebatch_iterate(batch, NULL, print_put, print_deleted);
  rocksdb_writebatch_set_save_point(batch);
  rocksdb_writebatch_put(batch, "taken back", 10, "", 0);
  rocksdb_writebatch_rollback_to_save_point(batch, &error);
  expect_success("rollback");
  rocksdb_writebatch_put_cf(batch, second, "in second", 9, "2", 1);
  size_t size = 0;
  const char* const bytes = rocksdb_writebatch_data(batch, &size);
  printf("\nbytes:");
  for (size_t i = 0; i < size; ++i) printf(" %02x", (unsigned char)bytes[i]);
  rocksdb_writebatch_t* const copy = rocksdb_writebatch_create_from(bytes, size);
  printf("\ncopy of %d\n", rocksdb_writebatch_count(copy));
  write_batch(database, copy, "write");
  rocksdb_writebatch_clear(batch);
  rocksdb_writebatch_put_cf(batch, first, "range 1", 7, "a", 1);
  rocksdb_writebatch_put_cf(batch, first, "range 2", 7, "b", 1);
  rocksdb_writebatch_delete_range_cf(batch, first, "one", 3, "range 2", 7);
  rocksdb_writebatch_put_cf(batch, first, "one and a half", 14, "c", 1);
  write_batch(database, batch, "write with a range");
  print_all(database, first, "default");
  print_all(database, second, "second");
  rocksdb_writebatch_rollback_to_save_point(batch, &error);
  print_error("no save point", "-");
  rocksdb_writebatch_destroy(batch);
  rocksdb_writebatch_destroy(copy);
}

static void reads(rocksdb_t* database, rocksdb_column_family_handle_t* first, rocksdb_column_family_handle_t* second) {
  const rocksdb_snapshot_t* const snapshot = rocksdb_create_snapshot(database);
  put(database, first, "b", "later");
  put(database, second, "b", "later");
  rocksdb_readoptions_set_snapshot(reading, snapshot);
  print_key(database, first, "b");
  print_all(database, second, "before");
  rocksdb_readoptions_set_snapshot(reading, NULL);
  rocksdb_release_snapshot(database, snapshot);
  print_key(database, first, "b");

  const rocksdb_column_family_handle_t* const families[] = {first, second, first};
  const char* const keys[] = {"a", "b", "not there"};
  const size_t sizes[] = {1, 1, 9};
  char *values[3], *errors[3];
  size_t value_sizes[3];
  rocksdb_multi_get_cf(database, reading, families, 3, keys, sizes, values, value_sizes, errors);
  for (int i = 0; i < 3; ++i) {
    print_value(keys[i], values[i], value_sizes[i]);
    if (errors[i] != NULL) fail(errors[i]);
    rocksdb_free(values[i]);
  }
  rocksdb_pinnableslice_t* const pinned = rocksdb_get_pinned(database, reading, "a", 1, &error);
  size_t size = 0;
  const char* const value = rocksdb_pinnableslice_value(pinned, &size);
  print_value("pinned", value, size);
  rocksdb_pinnableslice_destroy(pinned);
}

static void bounds(rocksdb_t* database, rocksdb_column_family_handle_t* family) {
  const char* const keys[] = {"", "a", "b", "ba", "c", "d", "\xff\xff"};
  for (int i = 0; i < 7; ++i) put(database, family, keys[i], keys[i]);
  for (int i = 0; i < 7; ++i) print_seeks(database, family, keys[i]);
  print_seeks(database, family, "bb");
  print_all(database, family, "all");
  rocksdb_readoptions_set_iterate_lower_bound(reading, "b", 1);
  print_all(database, family, "from b");
  rocksdb_readoptions_set_iterate_upper_bound(reading, "d", 1);
  print_all(database, family, "b to d");
  for (int i = 0; i < 7; ++i) print_seeks(database, family, keys[i]);
  rocksdb_readoptions_set_iterate_lower_bound(reading, NULL, 0);
  rocksdb_readoptions_set_iterate_upper_bound(reading, NULL, 0);
  rocksdb_delete_range_cf(database, writing, family, "b", 1, "d", 1, &error);
  expect_success("delete_range");
  print_all(database, family, "without b to d");
}

static void backwards(rocksdb_t* database) {
  rocksdb_comparator_t* const comparator = rocksdb_comparator_create(NULL, nothing, compare_backwards, name_backwards);
  rocksdb_options_t* const ordered = rocksdb_options_create();
  rocksdb_options_set_comparator(ordered, comparator);
  rocksdb_column_family_handle_t* const family = rocksdb_create_column_family(database, ordered, "backwards", &error);
  expect_success("create_column_family");
  char key[16];
  for (int i = 0; i < 300; ++i) {
    snprintf(key, sizeof key, "%d", i * 7 % 300);
    put(database, family, key, "v");
  }
  put(database, family, "", "empty");
  rocksdb_delete_range_cf(database, writing, family, "9", 1, "10", 2, &error);
  expect_success("delete_range");
  print_all(database, family, "backwards");
  print_seeks(database, family, "1");
  rocksdb_drop_column_family(database, family, &error);
  expect_success("drop");
  rocksdb_column_family_handle_destroy(family);
  rocksdb_options_destroy(ordered);
  rocksdb_comparator_destroy(comparator);
}

static rocksdb_t* open_with(const char* folder, const rocksdb_options_t* of_second,
                            rocksdb_column_family_handle_t** families) {
  const char* const names[] = {"default", "second"};
  const rocksdb_options_t* const each[] = {options, of_second};
  return rocksdb_open_column_families(options, folder, 2, names, each, families, &error);
}

static rocksdb_t* open_two(const char* folder, rocksdb_column_family_handle_t** families) {
  return open_with(folder, options, families);
}

static void close_two(rocksdb_t* database, rocksdb_column_family_handle_t** families) {
  for (int i = 0; i < 2; ++i) rocksdb_column_family_handle_destroy(families[i]);
  rocksdb_close(database);
}

static void checkpoint(rocksdb_t* database, const char* folder) {
  char name[4096];
  snprintf(name, sizeof name, "%s.checkpoint", folder);
  rocksdb_checkpoint_t* const object = rocksdb_checkpoint_object_create(database, &error);
  rocksdb_checkpoint_create(object, name, 0, &error);
  expect_success("checkpoint");
  rocksdb_checkpoint_create(object, name, 0, &error);
  print_error("checkpoint again", folder);
  rocksdb_checkpoint_object_destroy(object);
  rocksdb_column_family_handle_t* families[2];
  rocksdb_t* const copy = open_two(name, families);
  expect_success("open the checkpoint");
  print_all(copy, families[0], "default in the checkpoint");
  print_all(copy, families[1], "second in the checkpoint");
  close_two(copy, families);
  rocksdb_destroy_db(options, name, &error);
  expect_success("destroy the checkpoint");
}

static void print_families(const char* folder) {
  size_t count = 0;
  char** const names = rocksdb_list_column_families(options, folder, &count, &error);
  expect_success("list");
  printf("families:");
  for (size_t i = 0; i < count; ++i) printf(" %s", names[i]);
  printf("\n");
  rocksdb_list_column_families_destroy(names, count);
}

static void wrong_openings(const char* folder) {
  rocksdb_open(options, folder, &error);
  print_error("without the second family", folder);
  const char* const names[] = {"default", "second", "third"};
  const rocksdb_options_t* const each[] = {options, options, options};
  rocksdb_column_family_handle_t* families[3];
  rocksdb_options_set_create_missing_column_families(options, 0);
  rocksdb_open_column_families(options, folder, 3, names, each, families, &error);
  print_error("with a third one", folder);
  rocksdb_open_column_families(options, folder, 1, names + 1, each, families, &error);
  print_error("without the default one", folder);
  rocksdb_options_set_error_if_exists(options, 1);
  open_two(folder, families);
  print_error("error_if_exists", folder);
  rocksdb_options_set_error_if_exists(options, 0);
  rocksdb_comparator_t* const comparator = rocksdb_comparator_create(NULL, nothing, compare_backwards, name_backwards);
  rocksdb_options_t* const ordered = rocksdb_options_create();
  rocksdb_options_set_comparator(ordered, comparator);
  const rocksdb_options_t* const wrong[] = {options, ordered};
  rocksdb_open_column_families(options, folder, 2, names, wrong, families, &error);
  printf("another comparator: %s\n", error != NULL && strstr(error, "does not match existing comparator") ? "no" : "?");
  rocksdb_free(error);
  error = NULL;
  rocksdb_options_destroy(ordered);
  rocksdb_comparator_destroy(comparator);
}

static void read_only(const char* folder) {
  rocksdb_t* const database = rocksdb_open_for_read_only(options, folder, 0, &error);
  expect_success("open for reading");
  rocksdb_put(database, writing, "k", 1, "v", 1, &error);
  print_error("put into what is read only", folder);
  size_t size = 0;
  char* const value = rocksdb_get(database, reading, "a", 1, &size, &error);
  print_value("a", value, size);
  rocksdb_free(value);
  rocksdb_close(database);
}

static void steps(const char* folder) {
  rocksdb_open(options, folder, &error);
  print_error("not there", folder);
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  rocksdb_options_set_max_open_files(options, 17);
  printf("max_open_files %d\n", rocksdb_options_get_max_open_files(options));
  rocksdb_column_family_handle_t* families[2];
  rocksdb_t* database = open_two(folder, families);
  expect_success("open");
  size_t size = 0;
  char* const name = rocksdb_column_family_handle_get_name(families[1], &size);
  printf("%.*s has number %u\n", (int)size, name, rocksdb_column_family_handle_get_id(families[1]));
  rocksdb_free(name);
  put(database, families[0], "a", "in default");
  put(database, families[1], "a", "in second");
  print_key(database, families[0], "a");
  print_key(database, families[1], "a");
  print_key(database, families[1], "not there");
  batches(database, families[0], families[1]);
  reads(database, families[0], families[1]);
  bounds(database, families[1]);
  backwards(database);
  rocksdb_create_column_family(database, options, "second", &error);
  print_error("create it again", folder);
  rocksdb_drop_column_family(database, families[0], &error);
  print_error("drop the default family", folder);
  rocksdb_flushoptions_t* const flushing = rocksdb_flushoptions_create();
  rocksdb_flush(database, flushing, &error);
  expect_success("flush");
  rocksdb_flushoptions_destroy(flushing);
  rocksdb_compact_range(database, NULL, 0, NULL, 0);
  char* const property = rocksdb_property_value(database, "rocksdb.no-such-thing");
  printf("property: %s\n", property == NULL ? "none" : property);
  checkpoint(database, folder);
  close_two(database, families);

  print_families(folder);
  wrong_openings(folder);
  read_only(folder);
  database = open_two(folder, families);
  expect_success("open again");
  print_all(database, families[0], "default");
  print_all(database, families[1], "second");
  close_two(database, families);
  rocksdb_destroy_db(options, folder, &error);
  expect_success("destroy");
}

// In the order of their families, of which the second one goes backwards; and many more in that one, which batches
// change now and then, in several transactions.
static const char* const killed_keys[] = {"x", "y", "z", "z", "y", "x"};
enum { killed_key_count = 6, many_keys = 5000, between_many = 10 };

static long number_at(rocksdb_t* database, rocksdb_column_family_handle_t* family, const char* key) {
  size_t size = 0;
  char* const value = rocksdb_get_cf(database, reading, family, key, strlen(key), &size, &error);
  expect_success("get");
  const long number = value == NULL ? 0 : strtol(value, NULL, 10);
  rocksdb_free(value);
  return number;
}

// The number that all keys of both families have.
static long number_of(rocksdb_t* database, rocksdb_column_family_handle_t** families) {
  const long number = number_at(database, families[0], killed_keys[0]);
  for (int i = 1; i < killed_key_count; ++i)
    if (number_at(database, families[i / 3], killed_keys[i]) != number) fail("a batch is there in part");
  char key[16];
  for (int i = 0; i < many_keys; ++i) {
    snprintf(key, sizeof key, "many%d", i);
    if (number_at(database, families[1], key) != number / between_many * between_many)
      fail("a large batch is there in part");
  }
  return number;
}

static void fill_batch(rocksdb_writebatch_t* batch, rocksdb_column_family_handle_t** families, long number) {
  char text[32], key[16];
  const size_t size = (size_t)snprintf(text, sizeof text, "%ld", number) + 1;
  for (int i = 0; i < killed_key_count; ++i) {
    rocksdb_writebatch_delete_range_cf(batch, families[i / 3], killed_keys[i], 1, i / 3 == 0 ? "~" : "v", 1);
    rocksdb_writebatch_put_cf(batch, families[i / 3], killed_keys[i], 1, text, size);
  }
  for (int i = 0; i < many_keys && number % between_many == 0; ++i) {
    const int key_size = snprintf(key, sizeof key, "many%d", i);
    rocksdb_writebatch_put_cf(batch, families[1], key, (size_t)key_size, text, size);
  }
}

static void fill(rocksdb_t* database, rocksdb_column_family_handle_t** families) {
  rocksdb_writeoptions_set_sync(writing, 1);
  rocksdb_writebatch_t* const batch = rocksdb_writebatch_create();
  rocksdb_iterator_t* looking = NULL;  // so that a crash finds old versions
  for (long number = number_of(database, families) + 1;; ++number) {
    rocksdb_writebatch_clear(batch);
    fill_batch(batch, families, number);
    write_batch(database, batch, "write");
    printf("%ld\n", number);
    fflush(stdout);
    if (number % 3 != 0) continue;
    if (looking != NULL) rocksdb_iter_destroy(looking);
    looking = rocksdb_create_iterator_cf(database, reading, families[1]);
  }
}

static void fill_or_check(const char* what, const char* folder) {
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  rocksdb_options_set_paranoid_checks(options, 1);
  rocksdb_comparator_t* const comparator = rocksdb_comparator_create(NULL, nothing, compare_backwards, name_backwards);
  rocksdb_options_t* const ordered = rocksdb_options_create();
  rocksdb_options_set_comparator(ordered, comparator);
  rocksdb_column_family_handle_t* families[2];
  rocksdb_t* const database = open_with(folder, ordered, families);
  expect_success("open");
  if (strcmp(what, "fill") == 0) fill(database, families);
  printf("%ld\n", number_of(database, families));
  close_two(database, families);
  rocksdb_options_destroy(ordered);
  rocksdb_comparator_destroy(comparator);
}

static void refused(const char* folder) {
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  rocksdb_column_family_handle_t* families[2];
  rocksdb_t* const database = open_two(folder, families);
  expect_success("open");
  rocksdb_merge(database, writing, "a", 1, "b", 1, &error);
  print_error("merge", folder);
  rocksdb_writebatch_t* const batch = rocksdb_writebatch_create();
  rocksdb_writebatch_put(batch, "not written", 11, "", 0);
  rocksdb_writebatch_merge(batch, "a", 1, "b", 1);
  rocksdb_write(database, writing, batch, &error);
  print_error("batch with a merge", folder);
  rocksdb_writebatch_destroy(batch);
  print_key(database, families[0], "not written");
  rocksdb_drop_column_family(database, families[1], &error);
  rocksdb_put_cf(database, writing, families[1], "a", 1, "b", 1, &error);
  print_error("put into a dropped family", folder);
  rocksdb_list_column_families(options, folder, &(size_t){0}, &error);
  printf("list while open: %s\n", error == NULL ? "OK" : "no");
  fflush(stdout);
  rocksdb_get_latest_sequence_number(database);
}

static rocksdb_t* shared;
static rocksdb_column_family_handle_t* shared_families[2];

// Each batch takes all keys away, and puts others in both families.
static void* write_in_thread(void* name) {
  rocksdb_writebatch_t* const batch = rocksdb_writebatch_create();
  char *failure = NULL, key[32];
  for (int round = 0; round < 300; ++round) {
    rocksdb_writebatch_clear(batch);
    for (int i = 0; i < 2; ++i) {
      rocksdb_writebatch_delete_range_cf(batch, shared_families[i], "", 0, "~", 1);
      for (int j = 0; j < 10; ++j) {
        const int size = snprintf(key, sizeof key, "%d %s %d", j, (const char*)name, round);
        rocksdb_writebatch_put_cf(batch, shared_families[i], key, (size_t)size, key, 1);
      }
    }
    rocksdb_write(shared, writing, batch, &failure);
    if (failure != NULL) exit(3);
  }
  rocksdb_writebatch_destroy(batch);
  return NULL;
}

static void* read_in_thread(void* unused) {
  rocksdb_readoptions_t* const own = rocksdb_readoptions_create();
  for (int round = 0; round < 300; ++round) {
    rocksdb_iterator_t* at[2];
    char* failure = NULL;
    rocksdb_create_iterators(shared, own, shared_families, at, 2, &failure);
    int count = 0;
    rocksdb_iter_seek_to_first(at[1]);
    for (rocksdb_iter_seek_to_first(at[0]); rocksdb_iter_valid(at[0]); rocksdb_iter_next(at[0]), ++count) {
      size_t size = 0, other_size = 0;
      const char* const key = rocksdb_iter_key(at[0], &size);
      if (!rocksdb_iter_valid(at[1])) exit(4);
      const char* const other = rocksdb_iter_key(at[1], &other_size);
      if (size != other_size || memcmp(key, other, size) != 0) exit(5);
      rocksdb_iter_next(at[1]);
    }
    if (failure != NULL || rocksdb_iter_valid(at[1]) || (count != 0 && count != 10)) exit(6);
    for (int i = 0; i < 2; ++i) rocksdb_iter_destroy(at[i]);
  }
  rocksdb_readoptions_destroy(own);
  return unused;
}

static void threads(const char* folder) {
  rocksdb_options_set_create_if_missing(options, 1);
  rocksdb_options_set_create_missing_column_families(options, 1);
  shared = open_two(folder, shared_families);
  expect_success("open");
  pthread_t all[4];
  char names[][2] = {"a", "b", "c"};
  for (int i = 0; i < 4; ++i) pthread_create(&all[i], NULL, i < 3 ? write_in_thread : read_in_thread, names[i % 3]);
  for (int i = 0; i < 4; ++i) pthread_join(all[i], NULL);
  read_in_thread(NULL);
  close_two(shared, shared_families);
}

int main(int count, char** words) {
  if (count != 3) return 2;
  options = rocksdb_options_create();
  reading = rocksdb_readoptions_create();
  writing = rocksdb_writeoptions_create();
  if (strcmp(words[1], "steps") == 0)
    steps(words[2]);
  else if (strcmp(words[1], "threads") == 0)
    threads(words[2]);
  else if (strcmp(words[1], "refused") == 0)
    refused(words[2]);
  else
    fill_or_check(words[1], words[2]);
  rocksdb_options_destroy(options);
  rocksdb_readoptions_destroy(reading);
  rocksdb_writeoptions_destroy(writing);
  return 0;
}
