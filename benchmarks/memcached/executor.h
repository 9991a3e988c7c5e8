#ifndef PERDURE_BENCHMARKS_MEMCACHED_EXECUTOR_H
#define PERDURE_BENCHMARKS_MEMCACHED_EXECUTOR_H

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "controls.h"
#include "counters.h"
#include "harvest.h"
#include "listing.h"
#include "prefixes.h"
#include "reporter.h"
#include "request.h"
#include "store.h"

namespace perdure::benchmarks::memcached {

/// The version of the protocol that is spoken, which clients decide by.
inline constexpr std::string_view server_version = "1.6.18-perdure";

/// What administrators ask of the server as a whole. By any thread.
class ServerFacts {
 public:
  virtual ~ServerFacts() = default;
  /// The lines of `stats`, or of `stats <what>`, each with its end; none if there are no such statistics.
  virtual std::optional<std::string> stats(std::string_view what) const = 0;
  virtual void reset() = 0;
  virtual Prefixes& prefixes() = 0;
  virtual Controls& controls() = 0;
  virtual EventLog& event_log() = 0;
  /// The item that was evicted last had not been used for so many seconds.
  virtual void note_evicted_age(UnixSeconds seconds) = 0;
  /// Expired items are removed, soon.
  virtual void crawl() = 0;
  virtual bool allows_shutdown() const = 0;
  virtual void shut_down() = 0;
};

/// From requests to answers: runs the transaction of each command and writes what it found. A thread has one.
class Executor {
 public:
  Executor(Store& store, Counters& counters, ServerFacts& server)
      : store_(store),
        counters_(counters),
        server_(server),
        prefixes_(server.prefixes()),
        reporter_(server.event_log()) {}

  /// Appends the answer to `reply`, once the command is durable.
  /// \param data  the data block, without its end of line; if the request has one.
  void run(const Request& request, std::string_view data, std::string& reply);

  /// What the request that has just run begins: a listing that `go_on` goes on with, up to its end.
  Listing take_listing();
  /// Appends a part of the listing to `reply`, or its end.
  void go_on(Listing& listing, std::string& reply);
  /// What the request that has just run wants to watch: if it was a `watch`. It has not been answered yet.
  std::optional<Streams> take_watch() { return std::exchange(watch_, std::nullopt); }

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

  void administer(const Request& request, std::string& reply);
  void stats(const std::vector<std::string_view>& words, std::string& reply);
  void list_sizes(std::string& reply);
  void detail(const std::vector<std::string_view>& words, std::string& reply);
  void list_names(const std::vector<std::string_view>& words, std::string& reply);
  void lru_crawler(const std::vector<std::string_view>& words, std::string& reply);
  std::string_view turn_crawler(std::string_view what);
  std::string_view set_crawler(bool sets_sleep, std::string_view word);
  std::string_view crawl(std::string_view which);
  std::string_view dump(Listing::Form form, std::string_view which);
  std::string_view set_memory_limit(std::uint64_t mebibytes);
  void shutdown(const std::vector<std::string_view>& words, std::string& reply);

  void meta_get(const Request& request, std::string& reply);
  void meta_put(const Request& request, std::string_view data, std::string& reply);
  void meta_erase(const Request& request, std::string& reply);
  void meta_arithmetic(const Request& request, std::string& reply);
  void meta_debug(const Request& request, std::string& reply);

  PutResult put_item(const Request& request, std::string_view data);
  Outcome erase_item(const Request& request);
  ArithmeticResult add_number(const Request& request);
  void count_fetch(bool touches, const Found& found);
  void count_lookup(Presence presence);
  void account_for_trace();
  void tell_store(const Request& request, Outcome outcome, UnixSeconds expiry, std::size_t data_bytes);
  void refuse_without_memory(const Request& request, std::string_view data, std::string& reply);

  Store& store_;
  Counters& counters_;
  ServerFacts& server_;
  Prefixes& prefixes_;
  Reporter reporter_;
  Harvest harvest_;
  Trace trace_;
  Listing listing_;
  std::optional<Streams> watch_;
  UnixSeconds now_ = 0;  // when the command under way began
};

void append_number(std::string& text, std::uint64_t number);

}  // namespace perdure::benchmarks::memcached

#endif
