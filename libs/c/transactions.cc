// Transactions of perdure/c.h over what C++ programs use.
#include "perdure/attributes.h"  // as of a file without the plugin
#define __PERDURE__  // no transaction begins in this file; bodies come from files that the plugin has compiled
#include "abi/entry_points.h"
#include "c/status.h"
#include "entry/allocation.h"
#include "perdure/c.h"

namespace {

using perdure::c::status_of;

/// The body has asked for its transaction to be rolled back.
struct RolledBack {};

struct Run {
  int (*body)(void*);
  void* argument;
  int result = 0;
};

void run_body(void* closure) {
  Run& run = *static_cast<Run*>(closure);
  run.result = run.body(run.argument);
  if (run.result != 0) throw RolledBack();
}

int run_as(void (*transaction)(void (*)(void*), void*), Run run) noexcept {
  return status_of([&] {
    try {
      transaction(run_body, &run);
    } catch (const RolledBack&) {
    }
  })
             ?: run.result;
}

}  // namespace

int perdure_transaction(int (*body)(void*), void* argument) {
  return perdure::entry::is_in_transaction() ? body(argument) : run_as(perdure_run, {body, argument});
}

int perdure_transaction_operation(int (*body)(void*), void* argument, const perdure::abi::OperationFrame*) {
  return perdure_transaction(body, argument);
}

int perdure_serial_transaction(int (*body)(void*), void* argument) {
  if (!perdure::entry::is_in_transaction()) return run_as(perdure_run_serial, {body, argument});
  perdure_become_serial();
  return body(argument);
}
