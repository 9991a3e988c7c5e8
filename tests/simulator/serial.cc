// Serial transactions among ordinary ones.
#include <array>
#include <atomic>
#include <thread>

#include "factories.h"
#include "stepped.h"

namespace perdure::simulate {
namespace {

struct alignas(64) Word {
  std::uint64_t value = 0;
};

struct Node {
  std::uint64_t number;
  Node* before;
};

struct Root {
  Word steps;
  std::array<Word, 2> words;
  std::uint8_t parts[8] = {};
  Node* last = nullptr;
};

enum class Kind : std::uint8_t { ordinary, serial, becomes_serial };

/// Writes whole words, parts of one, and a new block.
void change(Root& root, std::uint64_t number) {
  root.words[0].value = number;
  root.words[1].value += number;
  root.parts[number % 8] = static_cast<std::uint8_t>(number);
  root.last = new Node{number, root.last};
}

/// One thread, in which every serial transaction follows an ordinary one that wrote the same.
class SerialWorkload : public Stepped<Root> {
 protected:
  std::uint64_t steps() const override { return 4; }

  void step(Root& root, std::uint64_t number) override {
    fail(root, kind_of(number));
    take(root, number, kind_of(number));
  }

  static void take(Root& root, std::uint64_t number, Kind kind) {
    run(kind, [&root, number] { change(root, number); }, [&root, number] { root.steps.value = number; });
  }

  std::uint64_t steps_taken(Root& root) override {
    return execute([&] { return root.steps.value; });
  }

  void check(Root& root, std::uint64_t taken) override {
    require(root.words[0].value == taken, "the first word holds " + std::to_string(root.words[0].value));
    require(root.words[1].value == taken * (taken + 1) / 2, "the second is " + std::to_string(root.words[1].value));
    for (std::uint64_t part = 0; part < 8; ++part)
      require(root.parts[part] == (part <= taken ? part : 0), "a part of a word is wrong");
    const Node* node = root.last;
    for (std::uint64_t number = taken; number > 0; --number, node = node->before)
      require(node != nullptr && node->number == number, "a node is wrong");
    require(node == nullptr, "there is a node too many");
  }

  std::size_t blocks(Root&, std::uint64_t taken) const override { return taken; }

 private:
  static Kind kind_of(std::uint64_t number) {
    constexpr std::array kinds = {Kind::serial, Kind::ordinary, Kind::becomes_serial, Kind::ordinary};
    return kinds[number % kinds.size()];
  }

  /// \param end  in a transaction that becomes serial, what it does after that.
  template <class Body, class End>
  static void run(Kind kind, Body&& body, End&& end) {
    if (kind == Kind::serial) {
      TM_SERIAL {
        body();
        std::this_thread::yield();
        end();
      }
      TM_END;
    } else {
      TM_BEGIN {
        body();
        if (kind == Kind::becomes_serial) {
          become_serial();
          std::this_thread::yield();
        }
        end();
      } TM_END;
    }
  }

  /// One that throws has changed nothing.
  static void fail(Root& root, Kind kind) {
    try {
      run(
          kind, [&root] { change(root, 7); },
          [&root] {
            root.words[0].value = 8;
            throw 1;
          });
    } catch (int) {
    }
  }
};

/// The same, so short that crashes of the recovery can be tried, too: whatever an ordinary transaction leaves in its
/// logs lies beside the undo log of a serial one.
class SerialOnce : public SerialWorkload {
 public:
  explicit SerialOnce(Kind kind) : kind_(kind) {}

 protected:
  std::uint64_t steps() const override { return 2; }
  void step(Root& root, std::uint64_t number) override { take(root, number, number == 2 ? kind_ : Kind::ordinary); }

 private:
  Kind kind_;
};

/// Threads that add to the same words, one of them in serial transactions.
class SerialBesideOthers : public Workload {
 public:
  void prepare(Pools& pools) override { sums_of(pools.front()); }

  void run(const Paths& paths) override {
    Pool pool = Pool::open(paths.front());
    Sums& sums = sums_of(pool);
    runs_ = 0;
    std::thread other([&sums] { add(sums, 1); });
    add(sums, 0);
    other.join();
    require(runs_ == additions, "serial parts ran " + std::to_string(runs_) + " times");
    close(pool);
  }

  void check(Pools& pools, const Notes& notes) override {
    check_closed(pools, notes);
    Sums& sums = sums_of(pools.front());
    const Sums found = execute([&] { return sums; });
    std::uint64_t expected = 0;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      require(notes.allow(thread, found.added[thread].value),
              "a thread has added " + std::to_string(found.added[thread].value) + " times");
      expected += found.added[thread].value * (thread + 1);
    }
    for (const Word& word : found.words)
      require(word.value == expected, "a sum is " + std::to_string(word.value) + ", not " + std::to_string(expected));
  }

 private:
  static constexpr std::size_t threads = 2;
  static constexpr std::uint64_t additions = 3;
  inline static std::atomic<std::uint64_t> runs_ = 0;  ///< of serial parts, each of which must run once

  /// Not undone with the transaction.
  PERDURE_PURE static void note_run() { ++runs_; }

  struct Sums {
    std::array<Word, threads> added;
    std::array<Word, 2> words;
  };

  static Sums& sums_of(Pool& pool) { return pool.root<Sums>("sums"); }

  static void add_once(Sums& sums, std::size_t thread) {
    for (Word& word : sums.words) word.value += thread + 1;
    ++sums.added[thread].value;
  }

  static void add(Sums& sums, std::size_t thread) {
    for (std::uint64_t number = 1; number <= additions; ++number) {
      begin(thread, number);
      if (thread == 0 && number != 2) {
        TM_SERIAL {
          note_run();
          add_once(sums, thread);
          std::this_thread::yield();
        }
        TM_END;
      } else {
        TM_BEGIN {
          sums.words[0].value += thread + 1;
          if (thread == 0) {
            become_serial();
            note_run();
            std::this_thread::yield();
          }
          sums.words[1].value += thread + 1;
          ++sums.added[thread].value;
        } TM_END;
      }
      acknowledge(thread, number);
    }
  }
};

}  // namespace

std::unique_ptr<Workload> make_serial() { return std::make_unique<SerialWorkload>(); }
std::unique_ptr<Workload> make_serial_once() { return std::make_unique<SerialOnce>(Kind::serial); }
std::unique_ptr<Workload> make_becomes_serial() { return std::make_unique<SerialOnce>(Kind::becomes_serial); }
std::unique_ptr<Workload> make_serial_beside_others() { return std::make_unique<SerialBesideOthers>(); }

}  // namespace perdure::simulate
