#ifndef PERDURE_TESTS_C_API_ACCOUNTS_H
#define PERDURE_TESTS_C_API_ACCOUNTS_H

#include <perdure/c.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { most_accounts = 64, text_size = 40 };

struct note {
  struct note* next;
  char text[text_size];
};

struct accounts {
  long balance[most_accounts];
  long transfers;
  struct note* notes;
};

/// One transfer, as a transaction.
struct transfer {
  struct accounts* accounts;
  int from;
  int to;
  long amount;
  const char* text;
};

enum { too_little_money = 7, no_room_for_note = 8 };

/// Returns what perdure_transaction returns: too_little_money when the account would be overdrawn.
int transfer_money(const struct transfer* transfer);

/// Two transfers of which both are made, or none.
int transfer_both(const struct transfer* transfers);

/// Frees all notes. In a transaction of its own.
int forget_notes(struct accounts* accounts);

/// A serial transaction (or one that becomes serial in the middle): writes a note by snprintf, and is refused when it
/// does not fit.
int number_note(struct accounts* accounts, long number);
int number_note_in_the_middle(struct accounts* accounts, long number);

int find_root(perdure_pool* pool, struct accounts** accounts);

#ifdef __cplusplus
}
#endif

#endif
