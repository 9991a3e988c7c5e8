#ifndef PERDURE_HANDLERS_H
#define PERDURE_HANDLERS_H

#include <cstddef>
#include <new>
#include <type_traits>

#include "perdure/attributes.h"

extern "C" {
/// Room for a handler: private to the thread, in no pool, and not rolled back. What a transaction allocates from then
/// on, until the call of one of the next two, is so as well.
/// \throws std::bad_alloc when there is no room.
PERDURE_PURE void* perdure_begin_handler(std::size_t bytes, std::size_t alignment);
/// The handler is in its room. \param event  0: the transaction has committed; 1: it was rolled back.
PERDURE_PURE void perdure_end_handler(int event, void* handler, void (*run)(void*), void (*destroy)(void*));
/// There will be no handler.
PERDURE_PURE void perdure_drop_handler(void* handler);
}

namespace perdure {
namespace detail {

enum class HandlerEvent : int { commit, abort };

template <class Handler>
void run_handler(void* handler) {
  (*static_cast<Handler*>(handler))();
}

template <class Handler>
void destroy_handler(void* handler) {
  static_cast<Handler*>(handler)->~Handler();
}

class HandlerRoom {
 public:
  HandlerRoom(std::size_t bytes, std::size_t alignment) : room_(perdure_begin_handler(bytes, alignment)) {}
  HandlerRoom(const HandlerRoom&) = delete;
  HandlerRoom& operator=(const HandlerRoom&) = delete;
  ~HandlerRoom() {
    if (room_ != nullptr) perdure_drop_handler(room_);
  }
  void* address() const { return room_; }
  void* take() {
    void* const room = room_;
    room_ = nullptr;
    return room;
  }

 private:
  void* room_;
};

/// Copied, also where it could be moved: what it would bring along was allocated in the transaction.
template <class Function>
void add_handler(HandlerEvent event, const Function& function) {
  using Handler = std::decay_t<const Function&>;
  static_assert(std::is_copy_constructible_v<Handler>,
                "a handler is copied out of the transaction, with all that it captures: capture nothing that cannot be "
                "copied, such as a std::unique_ptr");
  static_assert(std::is_invocable_v<Handler&>, "a handler is called without arguments");
  HandlerRoom room(sizeof(Handler), alignof(Handler));
  new (room.address()) Handler(function);
  perdure_end_handler(static_cast<int>(event), room.take(), run_handler<Handler>, destroy_handler<Handler>);
}

}  // namespace detail

/// Has `handler` called once, when the transaction that runs has committed and is durable, before the outermost
/// `execute` (TM_END) returns: outside of any transaction, so it may do what transactions cannot (print, send, lock),
/// and may run transactions of its own. Handlers run in the order in which they were registered. An attempt that is
/// rolled back takes what it registered with it. After a crash no handler runs. Outside of transactions the handler is
/// called at once.
///
/// \param handler  a callable without parameters, which is copied: what it captures by value is as it is now, and what
/// it captures by reference must live when it runs.
/// \throws std::bad_alloc when there is no memory. What a handler throws, the caller of the transaction gets, which has
/// committed; all others run before, and of several exceptions the first counts.
template <class Function>
void on_commit(const Function& handler) {
  detail::add_handler(detail::HandlerEvent::commit, handler);
}

/// Has `handler` called once, if the transaction that runs is rolled back for good: an exception leaves it. Everything
/// has been rolled back then, and the exception goes on when all handlers have run; what they throw is dropped. Not
/// called between the attempts of a transaction that is tried again after a conflict. Outside of transactions it is not
/// called at all.
///
/// \param handler  as of on_commit. Its copy is given back without a call of its destructor, since what the copying did
/// to other objects (a count of references) was rolled back, too.
template <class Function>
void on_abort(const Function& handler) {
  detail::add_handler(detail::HandlerEvent::abort, handler);
}

}  // namespace perdure

#endif
