#include "connection.h"

#include <algorithm>
#include <cerrno>

#include <sys/socket.h>
#include <unistd.h>

#include "parser.h"

namespace perdure::benchmarks::memcached {
namespace {

constexpr std::size_t fewest_read_bytes = std::size_t{16} * 1024;
constexpr std::size_t most_read_bytes = std::size_t{256} * 1024;
constexpr std::size_t most_reply_bytes = std::size_t{256} * 1024;  // then they are sent before more requests are run
constexpr std::string_view data_end = "\r\n";

bool has_to_wait() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Connection::Connection(ConnectionContext& context, int socket, std::function<void(Connection*)> close)
    : context_(context),
      socket_(socket),
      close_(std::move(close)),
      peer_(socket),
      event_(made(event_new(context.events, socket, 0, on_event, this))),
      input_(made(evbuffer_new())),
      output_(made(evbuffer_new())) {
  entry_.emplace(context.clients, socket);
  if ((context.event_log.watched() & connevents) != 0) {
    context.event_log.publish(connevents, "type=conn_new " + peer_.fields() + " cfd=" + std::to_string(socket));
  }
  wait_for(EV_READ);
}

Connection::~Connection() {
  context_.watching.erase(this);
  watcher_.reset();
  if ((context_.event_log.watched() & connevents) != 0) {
    context_.event_log.publish(connevents, "type=conn_close " + peer_.fields() +
                                               " reason=" + (ends_by_client_ ? "normal" : "error") +
                                               " cfd=" + std::to_string(socket_));
  }
  event_.reset();
  entry_.reset();
  ::close(socket_);
}

void Connection::wait_for(short what) {
  if (awaited_ == what) return;
  event_del(event_.get());
  event_assign(event_.get(), context_.events, socket_, static_cast<short>(what | EV_PERSIST), on_event, this);
  event_add(event_.get(), nullptr);
  awaited_ = what;
}

void Connection::on_event(int /*socket*/, short what, void* self) {
  auto* const connection = static_cast<Connection*>(self);
  if ((what & EV_WRITE) != 0) {
    connection->on_writable();
  } else {
    connection->on_readable();
  }
  const bool is_done = connection->is_ending_ && evbuffer_get_length(connection->output_.get()) == 0;
  if (is_done || connection->is_broken_) connection->close_(connection);
}

void Connection::on_readable() {
  if (!receive()) return;
  serve();
  keep_rest();
}

void Connection::on_writable() {
  send_rest();
  if (is_broken_ || is_ending_ || evbuffer_get_length(output_.get()) != 0) return;
  wait_for(EV_READ);
  serve();
  if (watcher_ != nullptr) send_events();
}

void Connection::on_events() {
  send_events();
  if (is_broken_) close_(this);
}

/// \returns whether something came.
bool Connection::receive() {
  const auto received = evbuffer_get_length(input_.get()) == 0 ? receive_first() : receive_more();
  is_broken_ = received == 0 || (received < 0 && !has_to_wait());
  ends_by_client_ = received == 0;
  if (received <= 0) return false;
  entry_->note_activity();
  context_.counters.add(Count::bytes_read, static_cast<std::uint64_t>(received));
  return true;
}

ssize_t Connection::receive_first() {
  auto& memory = context_.received;
  const auto received = ::recv(socket_, memory.data(), memory.size(), 0);
  if (received > 0) first_ = {memory.data(), static_cast<std::size_t>(received)};
  return received;
}

ssize_t Connection::receive_more() {
  const auto length = evbuffer_get_length(input_.get());
  const auto missing = wanted_ > length ? wanted_ - length : 0;
  const auto size = std::clamp(missing, fewest_read_bytes, most_read_bytes);
  evbuffer_iovec space;
  if (evbuffer_reserve_space(input_.get(), static_cast<ev_ssize_t>(size), &space, 1) != 1) return 0;
  const auto received = ::recv(socket_, space.iov_base, space.iov_len, 0);
  space.iov_len = static_cast<std::size_t>(std::max<ssize_t>(received, 0));
  evbuffer_commit_space(input_.get(), &space, 1);
  return received;
}

// The thread's memory is the next connection's.
void Connection::keep_rest() {
  if (!first_.empty() && evbuffer_add(input_.get(), first_.data(), first_.size()) != 0) is_broken_ = true;
  first_ = {};
}

// Runs what the input holds, as long as the client takes the answers.
void Connection::serve() {
  auto progress = Progress::again;
  while (progress == Progress::again && !is_broken_ && evbuffer_get_length(output_.get()) == 0) {
    progress = process_some();
    if (progress == Progress::ends) is_ending_ = true;
    send_reply();
  }
}

// All of the input, if it is worth looking at. A buffer is made contiguous for it: that copies no more than the part of
// a request that was there before, once it is complete.
std::string_view Connection::available() {
  if (!first_.empty()) return first_;
  const std::size_t length = evbuffer_get_length(input_.get());
  if (length < std::max<std::size_t>(wanted_, 1)) return {};
  return {reinterpret_cast<const char*>(evbuffer_pullup(input_.get(), -1)), length};
}

/// Runs requests until the answers are many.
Connection::Progress Connection::process_some() {
  auto& reply = context_.reply;
  reply.clear();
  const std::string_view input = available();
  if (input.empty() && !listing_.is_under_way()) return Progress::needs_input;
  wanted_ = 0;
  std::size_t consumed = 0;
  auto progress = Progress::again;
  while (progress == Progress::again && reply.size() < most_reply_bytes) {
    progress = run_one(input.substr(consumed), consumed);
  }
  if (first_.empty()) {
    evbuffer_drain(input_.get(), consumed);
  } else {
    first_.remove_prefix(consumed);
  }
  return progress;
}

/// Goes on with a listing, or runs the next request.
Connection::Progress Connection::run_one(std::string_view input, std::size_t& consumed) {
  if (listing_.is_under_way()) {
    context_.executor.go_on(listing_, context_.reply);
    return Progress::again;
  }
  if (input.empty()) return Progress::needs_input;
  if (watcher_ == nullptr) return run_next(input, consumed);
  consumed += input.size();
  return Progress::needs_input;
}

/// Runs the request at the beginning of `input`, or skips what is to be skipped.
/// \param consumed  is moved behind it.
Connection::Progress Connection::run_next(std::string_view input, std::size_t& consumed) {
  if (bytes_to_skip_ > 0) {
    const auto skipped = std::min(input.size(), bytes_to_skip_);
    bytes_to_skip_ -= skipped;
    consumed += skipped;
    return Progress::again;
  }
  const auto line = first_line(input);
  if (line.state == Line::State::partial) return Progress::needs_input;
  if (line.state == Line::State::endless) return Progress::ends;
  auto& request = context_.request;
  parse_line(line.text, request);
  request.socket = socket_;
  if (request.verb == Verb::quit) {
    ends_by_client_ = request.refusal.empty();  // or it is a browser
    return Progress::ends;
  }
  if (request.has_data) return run_with_data(input, line.bytes, consumed);
  consumed += line.bytes;
  bytes_to_skip_ = request.bytes_to_skip;
  context_.executor.run(request, {}, context_.reply);
  listing_ = context_.executor.take_listing();
  if (const auto streams = context_.executor.take_watch()) begin_watch(*streams);
  return Progress::again;
}

Connection::Progress Connection::run_with_data(std::string_view input, std::size_t line_bytes, std::size_t& consumed) {
  const auto& request = context_.request;
  if (context_.store.is_too_large(request.key.size, request.data_bytes)) {
    consumed += line_bytes;
    bytes_to_skip_ = request.data_bytes + data_end.size();
    context_.executor.refuse_too_large(request, context_.reply);
    return Progress::again;
  }
  const auto request_bytes = line_bytes + request.data_bytes + data_end.size();
  if (input.size() < request_bytes) {
    wanted_ = request_bytes;
    return Progress::needs_input;
  }
  consumed += request_bytes;
  const auto data = input.substr(line_bytes, request.data_bytes);
  if (input.substr(line_bytes + data.size(), data_end.size()) == data_end) {
    context_.executor.run(request, data, context_.reply);
  } else {
    context_.executor.refuse_bad_data(request, context_.reply);
  }
  return Progress::again;
}

void Connection::begin_watch(Streams streams) {
  watcher_ = context_.event_log.watch(streams, context_.wake_watching);
  if (watcher_ == nullptr) {
    context_.reply += "WATCHER_TOO_MANY log watcher limit reached\r\n";
    return;
  }
  context_.watching.insert(this);
  entry_->note_watching();
  context_.reply += "OK\r\n";
}

/// Lines are taken from the log when the socket has taken those before: more of them wait there, or are dropped.
void Connection::send_events() {
  if (evbuffer_get_length(output_.get()) != 0) return;
  watcher_->take(context_.reply);
  send_reply();
}

/// Sends the answers; what the socket does not take waits in the output buffer.
void Connection::send_reply() {
  const auto& reply = context_.reply;
  if (reply.empty()) return;
  const auto sent = ::send(socket_, reply.data(), reply.size(), MSG_NOSIGNAL);
  if (sent < 0 && !has_to_wait()) {
    is_broken_ = true;
    return;
  }
  const auto taken = static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
  context_.counters.add(Count::bytes_written, reply.size());
  if (taken == reply.size()) return;
  evbuffer_add(output_.get(), reply.data() + taken, reply.size() - taken);
  wait_for(EV_WRITE);
}

void Connection::send_rest() {
  const auto sent = evbuffer_write(output_.get(), socket_);
  is_broken_ = sent == 0 || (sent < 0 && !has_to_wait());
}

}  // namespace perdure::benchmarks::memcached
