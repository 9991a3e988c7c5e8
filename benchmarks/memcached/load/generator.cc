#include "generator.h"

namespace perdure::benchmarks::memcached::load {

Generator::Generator(const Parameters& parameters, std::size_t number, std::vector<Versions>& versions)
    : parameters_(parameters),
      first_key_(number * parameters.keys),
      versions_(versions),
      random_(parameters.seed * parameters.threads + number),
      values_(parameters.value_bytes),
      asked_(parameters.connections) {
  versions_.resize(parameters.keys);
  for (std::size_t i = 0; i < parameters.connections; ++i) clients_.emplace_back(parameters.address, parameters.port);
}

void Generator::populate() {
  for (std::uint64_t key = 0; key < parameters_.keys; ++key) {
    auto& client = clients_[key % clients_.size()];
    ask(client, asked_[0], true, key);
    read_answer(client, asked_[0]);
  }
  knows_versions_ = true;
}

void Generator::learn() {
  for (std::uint64_t key = 0; key < parameters_.keys; ++key) {
    auto& client = clients_[key % clients_.size()];
    ask(client, asked_[0], false, key);
    const auto value = value_of(client, key);
    if (value) versions_[key].sent = versions_[key].answered = Values::version_of(*value);
    check(value, key);
  }
  knows_versions_ = true;
}

void Generator::verify() {
  for (std::uint64_t key = 0; key < parameters_.keys; ++key) {
    auto& client = clients_[key % clients_.size()];
    ask(client, asked_[0], false, key);
    read_answer(client, asked_[0]);
    ++measured_.requests;
  }
}

void Generator::begin() {
  for (std::size_t i = 0; i < clients_.size(); ++i) draw(i);
}

void Generator::step() {
  answered(next_);
  draw(next_);
  next_ = (next_ + 1) % clients_.size();
}

void Generator::finish() {
  for (std::size_t i = 0; i < clients_.size(); ++i) {
    if (asked_[i].is_under_way) answered(i);
  }
}

void Generator::run(const std::atomic<bool>& measures, const std::atomic<bool>& stop) {
  try {
    begin();
    while (!stop) {
      step();
      if (!measures) continue;
      ++measured_.requests;
      const std::chrono::nanoseconds latency = Clock::now() - begun_;
      measured_.latency.add(static_cast<std::uint64_t>(latency.count()));
    }
    finish();
  } catch (const Disconnected&) {
    measured_.is_disconnected = true;
  }
}

void Generator::draw(std::size_t connection) {
  ask(clients_[connection], asked_[connection], random_.percent(parameters_.sets), drawn_key(connection));
  asked_[connection].is_under_way = true;
  asked_[connection].at = Clock::now();
}

void Generator::answered(std::size_t connection) {
  auto& asked = asked_[connection];
  read_answer(clients_[connection], asked);
  asked.is_under_way = false;
  begun_ = asked.at;
}

// A connection has keys of its own: of two requests under way for one key, nobody could say which is first.
std::uint64_t Generator::drawn_key(std::size_t connection) {
  const auto share = parameters_.keys / clients_.size();
  return connection * share + static_cast<std::uint64_t>(random_.between(0, static_cast<std::int64_t>(share) - 1));
}

void Generator::ask(Client& client, Asked& asked, bool is_set, std::uint64_t key) {
  asked.key = key;
  asked.is_set = is_set;
  const auto name = "key-" + std::to_string(first_key_ + key);
  if (is_set) {
    const auto version = ++versions_[key].sent;
    text_ = "set " + name + " 0 0 " + std::to_string(values_.bytes()) + "\r\n";
    text_ += values_.value(first_key_ + key, version);
    text_ += "\r\n";
  } else {
    text_ = "get " + name + "\r\n";
  }
  client.send(text_);
}

void Generator::read_answer(Client& client, const Asked& asked) {
  if (!asked.is_set) return check(value_of(client, asked.key), asked.key);
  const auto answer = client.line();
  expect(answer == "STORED", answer, asked.key);
  versions_[asked.key].answered = versions_[asked.key].sent;
}

std::optional<std::string> Generator::value_of(Client& client, std::uint64_t key) {
  const std::string head(client.line());
  if (head == "END") return std::nullopt;
  const auto expected = "VALUE key-" + std::to_string(first_key_ + key) + " 0 " + std::to_string(values_.bytes());
  expect(head == expected, head, key);
  if (head != expected) throw Disconnected("what follows cannot be understood: " + head);
  std::string value(client.block(values_.bytes()));
  expect(client.line() == "END", "no END behind the value", key);
  return value;
}

void Generator::check(const std::optional<std::string>& value, std::uint64_t key) {
  const auto versions = versions_[key];
  if (!value) {
    ++measured_.misses;
    return expect(parameters_.may_miss || versions.answered == 0, "END", key);
  }
  // A set that was not answered before the server was killed may have happened, or not.
  const bool is_right =
      *value == values_.value(first_key_ + key, versions.answered) ||
      (versions.sent != versions.answered && *value == values_.value(first_key_ + key, versions.sent));
  expect(is_right, *value, key);
}

void Generator::expect(bool is_right, std::string_view answer, std::uint64_t key) {
  if (is_right) return;
  if (measured_.wrong++ > 0) return;
  measured_.first_wrong = "key-" + std::to_string(first_key_ + key) + ", version " +
                          std::to_string(versions_[key].answered) + ": " + std::string(answer.substr(0, 100));
}

}  // namespace perdure::benchmarks::memcached::load
