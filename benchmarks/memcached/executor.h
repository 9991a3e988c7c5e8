#ifndef PERDURE_BENCHMARKS_MEMCACHED_EXECUTOR_H
#define PERDURE_BENCHMARKS_MEMCACHED_EXECUTOR_H

#include <string>
#include <string_view>

#include "counters.h"
#include "harvest.h"
#include "request.h"
#include "store.h"

namespace perdure::benchmarks::memcached {

/// The version of the protocol that is spoken, which clients decide by.
inline constexpr std::string_view server_version = "1.6.18-perdure";

/// What `stats` asks of the server as a whole.
class ServerFacts {
 public:
  virtual ~ServerFacts() = default;
  /// The lines of `stats`, and of `stats settings`, each with its end.
  virtual std::string general() const = 0;
  virtual std::string settings() const = 0;
  virtual void reset() = 0;
};

/// From requests to answers: runs the transaction of each command and writes what it found. A thread has one.
class Executor {
 public:
  Executor(Store& store, Counters& counters, ServerFacts& server)
      : store_(store), counters_(counters), server_(server) {}

  /// Appends the answer to `reply`, once the command is durable.
  /// \param data  the data block, without its end of line; if the request has one.
  void run(const Request& request, std::string_view data, std::string& reply);

  /// The data block of a storage command is larger than an item may be.
  void refuse_too_large(const Request& request, std::string& reply);

  /// The data block of a storage command does not end where it should.
  void refuse_bad_data(const Request& request, std::string& reply);

 private:
  void run_or_throw(const Request& request, std::string_view data, std::string& reply);
  void answer(const Request& request, std::string_view text, std::string& reply) const;

  void get(const Request& request, std::string& reply);
  void put(const Request& request, std::string_view data, std::string& reply);
  void erase(const Request& request, std::string& reply);
  void arithmetic(const Request& request, std::string& reply);
  void touch(const Request& request, std::string& reply);
  void flush_all(const Request& request, std::string& reply);
  void stats(const Request& request, std::string& reply);

  void meta_get(const Request& request, std::string& reply);
  void meta_put(const Request& request, std::string_view data, std::string& reply);
  void meta_erase(const Request& request, std::string& reply);
  void meta_arithmetic(const Request& request, std::string& reply);
  void meta_debug(const Request& request, std::string& reply);

  PutResult put_item(const Request& request, std::string_view data);
  Outcome erase_item(const Request& request);
  ArithmeticResult add_number(const Request& request);
  void count_fetch(bool touches, bool hits);

  Store& store_;
  Counters& counters_;
  ServerFacts& server_;
  Harvest harvest_;
  UnixSeconds now_ = 0;  // when the command under way began
};

void append_number(std::string& text, std::uint64_t number);

}  // namespace perdure::benchmarks::memcached

#endif
