/* Transactions in C, compiled by the plugin. */
#include "accounts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was changed before it is known that the money does not suffice must be undone. */
static int transfer_body(void* argument) {
  const struct Transfer* transfer = argument;
  struct Accounts* accounts = transfer->accounts;
  struct Note* note = calloc(1, sizeof *note);
  if (note == NULL) return no_room_for_note;
  strncpy(note->text, transfer->text, text_size - 1);
  note->next = accounts->notes;
  accounts->notes = note;
  accounts->transfers += 1;
  accounts->balance[transfer->from] -= transfer->amount;
  accounts->balance[transfer->to] += transfer->amount;
  return accounts->balance[transfer->from] < 0 ? too_little_money : 0;
}

int transfer_money(const struct Transfer* transfer) { return perdure_transaction(transfer_body, (void*)transfer); }

static int both_body(void* argument) {
  const struct Transfer* transfers = argument;
  int result = perdure_transaction(transfer_body, (void*)&transfers[0]);
  return result != 0 ? result : perdure_transaction(transfer_body, (void*)&transfers[1]);
}

int transfer_both(const struct Transfer* transfers) { return perdure_transaction(both_body, (void*)transfers); }

static int forget_body(void* argument) {
  struct Accounts* accounts = argument;
  while (accounts->notes != NULL) {
    struct Note* note = accounts->notes;
    accounts->notes = note->next;
    free(note);
  }
  return 0;
}

int forget_notes(struct Accounts* accounts) { return perdure_transaction(forget_body, accounts); }

struct Numbering {
  struct Accounts* accounts;
  long number;
};

/* The plugin knows nothing of snprintf, which writes to the block that this transaction has allocated. */
PERDURE_SERIAL static int write_number(struct Accounts* accounts, struct Note* note, long number) {
  accounts->transfers = number;
  return snprintf(note->text, text_size, "number %ld", number) < text_size && number >= 0 ? 0 : too_little_money;
}

static struct Note* add_note(struct Accounts* accounts) {
  struct Note* note = calloc(1, sizeof *note);
  if (note == NULL) return NULL;
  note->next = accounts->notes;
  accounts->notes = note;
  return note;
}

static int number_body(void* argument) {
  const struct Numbering* numbering = argument;
  struct Note* note = add_note(numbering->accounts);
  return note == NULL ? no_room_for_note : write_number(numbering->accounts, note, numbering->number);
}

int number_note(struct Accounts* accounts, long number) {
  struct Numbering numbering = {accounts, number};
  return perdure_serial_transaction(number_body, &numbering);
}

static int number_later_body(void* argument) {
  const struct Numbering* numbering = argument;
  struct Note* note = add_note(numbering->accounts);
  if (note == NULL) return no_room_for_note;
  perdure_become_serial();
  return write_number(numbering->accounts, note, numbering->number);
}

int number_note_in_the_middle(struct Accounts* accounts, long number) {
  struct Numbering numbering = {accounts, number};
  return perdure_transaction(number_later_body, &numbering);
}

int find_root(perdure_pool* pool, struct Accounts** accounts) {
  return perdure_root(pool, "accounts", struct Accounts, accounts);
}
