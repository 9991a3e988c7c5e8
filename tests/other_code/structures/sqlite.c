// SQLite with a database in memory, in one file with its program: tables, an index, a trigger, prepared statements that
// stay, and transactions of its own that last for several steps.
#include <sqlite3.c>

struct structures {
  sqlite3* database;
  sqlite3_stmt* insert;
};

#include "steps.h"

static int append(void* unused, int columns, char** values, char** names) {
  (void)unused, (void)names;
  for (int i = 0; i < columns; ++i) {
    const size_t used = strlen(result);
    snprintf(result + used, sizeof result - used, "%s ", values[i] != NULL ? values[i] : "NULL");
  }
  return 0;
}

/// What fails is a result, too.
static void execute(sqlite3* database, const char* statements) {
  char* message = NULL;
  if (sqlite3_exec(database, statements, append, NULL, &message) == SQLITE_OK) return;
  snprintf(result, sizeof result, "%s", message);
  sqlite3_free(message);
}

static void open_database(struct structures* all) {
  sqlite3_open(":memory:", &all->database);
  execute(all->database,
          "create table item(id integer primary key, name text, price real, picture blob);"
          "create index names on item(name);"
          "create table counted(name text primary key, number integer) without rowid;"
          "create trigger counting after insert on item begin"
          "  insert into counted values(new.name, 1) on conflict do update set number = number + 1;"
          "end");
  sqlite3_prepare_v2(all->database, "insert into item values(?1, ?2, ?3, zeroblob(?1 % 3000))", -1, &all->insert, NULL);
}

static void insert(struct structures* all, int number) {
  char name[32];
  snprintf(name, sizeof name, "name %d", number * 7919 % 100);
  sqlite3_bind_int(all->insert, 1, number);
  sqlite3_bind_text(all->insert, 2, name, -1, SQLITE_TRANSIENT);
  sqlite3_bind_double(all->insert, 3, number / 4.0);
  sqlite3_step(all->insert);
  sqlite3_reset(all->insert);
}

static void do_step(struct structures* all, int number) {
  result[0] = '\0';
  sqlite3_initialize();  // what it keeps in variables begins anew with each run
  if (all->database == NULL) open_database(all);
  insert(all, number);
  switch (number % 16) {
    case 1:
      execute(all->database, "update item set price = price * 2, name = upper(name) where id % 7 = 1");
      break;
    case 3:
      execute(all->database, "begin; delete from item where id % 5 = 2");
      break;
    case 5:
      execute(all->database, "rollback");
      break;
    case 6:
      execute(all->database, "begin; savepoint inner; delete from counted");
      break;
    case 8:
      execute(all->database, "rollback to inner; delete from item where id in (select min(id) from item); commit");
      break;
    case 10:
      execute(
          all->database,
          "select name, count(*), sum(price) from item join counted using (name) group by name order by 2, 1 limit 3");
      break;
    case 11:
      execute(all->database, "insert into item(id) values(1)");
      execute(all->database, "insert into item(id) values(1)");  // refused
      break;
    case 13:
      execute(all->database, "delete from item where id < (select max(id) - 200 from item)");
      break;
    default:;
  }
  execute(all->database, "select count(*), sum(price), max(name), (select sum(number) from counted) from item");
}
