// perdure/handlers.h, and the same for C.
#include "perdure/handlers.h"

#include <cstdlib>
#include <new>

#include "entry/allocation.h"
#include "perdure/c.h"
#include "tx/abort.h"
#include "tx/handlers.h"

namespace {

namespace tx = perdure::tx;
using perdure::entry::is_in_transaction;
using perdure::entry::transactional_exceptions;
using perdure::entry::transactional_handlers;
using Event = tx::Handler::Event;

void* begin(std::size_t bytes, std::size_t alignment) {
  if (is_in_transaction()) return transactional_handlers().begin(transactional_exceptions(), bytes, alignment);
  return std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

void end(const tx::Handler& handler) {
  if (!is_in_transaction()) return handler.run_after_commit();
  transactional_handlers().end(transactional_exceptions(), handler);
  perdure_set_result(&tx::checkpoint, tx::has_handlers);
}

struct CHandler {
  void (*function)(void*);
  void* argument;

  static void run(void* self) {
    const auto [function, argument] = *static_cast<CHandler*>(self);
    function(argument);
  }
  static void destroy(void*) {}
};

int add(Event event, void (*function)(void*), void* argument) {
  void* const room = begin(sizeof(CHandler), alignof(CHandler));
  if (room == nullptr) return PERDURE_OUT_OF_MEMORY;
  end({event, new (room) CHandler{function, argument}, CHandler::run, CHandler::destroy});
  return PERDURE_OK;
}

}  // namespace

extern "C" {

void* perdure_begin_handler(std::size_t bytes, std::size_t alignment) {
  void* const room = begin(bytes, alignment);
  if (room == nullptr) throw std::bad_alloc();
  return room;
}

void perdure_end_handler(int event, void* handler, void (*run)(void*), void (*destroy)(void*)) {
  end({static_cast<Event>(event), handler, run, destroy});
}

void perdure_drop_handler(void* handler) {
  if (is_in_transaction())
    transactional_handlers().drop(handler);
  else
    std::free(handler);
}

int perdure_on_commit(void (*handler)(void*), void* argument) { return add(Event::commit, handler, argument); }
int perdure_on_abort(void (*handler)(void*), void* argument) { return add(Event::abort, handler, argument); }

}  // extern "C"
