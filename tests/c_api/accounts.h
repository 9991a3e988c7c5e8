#ifndef PERDURE_TESTS_C_API_ACCOUNTS_H
#define PERDURE_TESTS_C_API_ACCOUNTS_H

#include <perdure/c.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { most_accounts = 64, text_size = 40 };

struct Note {
  struct Note* next;
  char text[text_size];
};

struct Accounts {
  long balance[most_accounts];
  long transfers;
  struct Note* notes;
};

/// One transfer, as a transaction.
struct Transfer {
  struct Accounts* accounts;
  int from;
  int to;
  long amount;
  const char* text;
};

enum { too_little_money = 7, no_room_for_note = 8 };

/// Returns what perdure_transaction returns: too_little_money when the account would be overdrawn.
int transfer_money(const struct Transfer* transfer);

/// Two transfers of which both are made, or none.
int transfer_both(const struct Transfer* transfers);

/// Frees all notes. In a transaction of its own.
int forget_notes(struct Accounts* accounts);

/// A serial transaction (or one that becomes serial in the middle): writes a note by snprintf, and is refused when it
/// does not fit.
int number_note(struct Accounts* accounts, long number);
int number_note_in_the_middle(struct Accounts* accounts, long number);

int find_root(perdure_pool* pool, struct Accounts** accounts);

#ifdef __cplusplus
}
#endif

#endif
