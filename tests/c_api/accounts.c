/* Transactions in C, compiled by the plugin. */
#include "accounts.h"

#include <stdlib.h>
#include <string.h>

/* What was changed before it is known that the money does not suffice must be undone. */
static int transfer_body(void* argument) {
  const struct transfer* transfer = argument;
  struct accounts* accounts = transfer->accounts;
  struct note* note = calloc(1, sizeof *note);
  if (note == NULL) return no_room_for_note;
  strncpy(note->text, transfer->text, text_size - 1);
  note->next = accounts->notes;
  accounts->notes = note;
  accounts->transfers += 1;
  accounts->balance[transfer->from] -= transfer->amount;
  accounts->balance[transfer->to] += transfer->amount;
  return accounts->balance[transfer->from] < 0 ? too_little_money : 0;
}

int transfer_money(const struct transfer* transfer) { return perdure_transaction(transfer_body, (void*)transfer); }

static int both_body(void* argument) {
  const struct transfer* transfers = argument;
  int result = perdure_transaction(transfer_body, (void*)&transfers[0]);
  return result != 0 ? result : perdure_transaction(transfer_body, (void*)&transfers[1]);
}

int transfer_both(const struct transfer* transfers) { return perdure_transaction(both_body, (void*)transfers); }

static int forget_body(void* argument) {
  struct accounts* accounts = argument;
  while (accounts->notes != NULL) {
    struct note* note = accounts->notes;
    accounts->notes = note->next;
    free(note);
  }
  return 0;
}

int forget_notes(struct accounts* accounts) { return perdure_transaction(forget_body, accounts); }

int find_root(perdure_pool* pool, struct accounts** accounts) {
  return perdure_root(pool, "accounts", struct accounts, accounts);
}
