#ifndef PERDURE_BENCHMARKS_MEMCACHED_EVENT_POINTERS_H
#define PERDURE_BENCHMARKS_MEMCACHED_EVENT_POINTERS_H

#include <memory>
#include <stdexcept>

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/listener.h>

/// Owners of libevent's objects.
namespace perdure::benchmarks::memcached {

template <auto free_function>
struct FreeBy {
  template <class T>
  void operator()(T* object) const {
    free_function(object);
  }
};

using EventBase = std::unique_ptr<event_base, FreeBy<event_base_free>>;
using Event = std::unique_ptr<event, FreeBy<event_free>>;
using Buffer = std::unique_ptr<evbuffer, FreeBy<evbuffer_free>>;
using Listener = std::unique_ptr<evconnlistener, FreeBy<evconnlistener_free>>;

/// \throws std::runtime_error when libevent could not make it, which happens when memory or descriptors run out.
template <class T>
T* made(T* object) {
  if (object == nullptr) throw std::runtime_error("libevent is out of memory or of file descriptors");
  return object;
}

}  // namespace perdure::benchmarks::memcached

#endif
