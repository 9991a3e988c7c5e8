/* Parts of transactions, and waiting, in C. */
#include "parts.h"

static int undone_part(void* argument) {
  struct Parts* parts = argument;
  parts->tried += 1;
  return (int)parts->result;
}

static int with_undone_part(void* argument) {
  struct Parts* parts = argument;
  parts->taken = perdure_nested(undone_part, parts);
  return 0;
}

int run_undone_part(struct Parts* parts) { return perdure_transaction(with_undone_part, parts); }

static int first(void* argument) {
  struct Parts* parts = argument;
  parts->tried += 1;
  if (parts->ready != 1) perdure_retry();
  parts->taken = 1;
  return 0;
}

static int second(void* argument) {
  struct Parts* parts = argument;
  if (parts->ready != 2) perdure_retry();
  parts->taken = 2;
  return 0;
}

static int alternatives(void* argument) { return perdure_or_else(first, second, argument); }

int run_alternatives(struct Parts* parts) { return perdure_transaction(alternatives, parts); }

static int wait_body(void* argument) {
  struct Parts* parts = argument;
  parts->tried += 1;
  return parts->ready != 0 ? 0 : perdure_retry_unless(parts->cancellation, parts->nanoseconds);
}

int wait_until_ready(struct Parts* parts) { return perdure_transaction(wait_body, parts); }

static int undone_addition(void* argument) {
  struct Parts* parts = argument;
  perdure_counter_add(&parts->sum, 1000);
  return 1;
}

static int addition(void* argument) {
  struct Parts* parts = argument;
  perdure_counter_add(&parts->sum, parts->result);
  perdure_nested(undone_addition, parts);
  parts->taken = (long)perdure_counter_value(&parts->sum);
  perdure_counter_add(&parts->sum, 1);
  return 0;
}

int add_to_sum(struct Parts* parts) { return perdure_transaction(addition, parts); }
