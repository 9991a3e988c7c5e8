#ifndef PERDURE_TESTS_CODE_ADDRESSES_OBJECTS_H
#define PERDURE_TESTS_CODE_ADDRESSES_OBJECTS_H

#include <any>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// What lies in the pool: everything that leads to code.
namespace objects {

struct Shape {
  virtual ~Shape() = default;
  virtual long area() const = 0;
  virtual std::string name() const { return "shape"; }
};

struct Circle : Shape {
  explicit Circle(long given) : radius(given) {}
  long area() const override { return 3 * radius * radius; }
  std::string name() const override { return "circle"; }
  long radius;
};

struct Square : Shape {
  explicit Square(long given) : side(given) {}
  long area() const override { return side * side; }
  long side;
};

#ifndef WITHOUT_HEXAGON
struct Hexagon final : Shape {
  long area() const override { return 6; }
  std::string name() const override { return "hexagon"; }
};
#endif

/// Several tables in one object.
struct Named {
  virtual ~Named() = default;
  virtual long number() const { return 1; }
  long filler = 10;
};
struct Coloured {
  virtual ~Coloured() = default;
  virtual long colour() const { return 2; }
  long hue = 20;
};
struct Both : Named, Coloured {
  long number() const override { return filler + 100; }
  long colour() const override { return hue + 200; }
};

/// A table that says where the shared base is.
struct Base {
  virtual ~Base() = default;
  virtual long base() const { return value; }
  long value = 7;
};
struct Left : virtual Base {
  virtual long left() const { return value + 1; }
};
struct Right : virtual Base {
  virtual long right() const { return value + 2; }
};
struct Diamond : Left, Right {
  long base() const override { return value + 1000; }
  long right() const override { return value + 3000; }
};

struct Operations {
  long (*apply)(long);
  long (*undo)(long);
};

inline long twice(long number) { return 2 * number; }
inline long half(long number) { return number / 2; }

/// A record of what all its users share, as C libraries have.
struct Species {
  const char* name;
  long (*grow)(long);
};

inline constexpr Species oak{"oak", twice};
#ifndef WITHOUT_HEXAGON
inline constexpr Species pine{"pine", half};
#endif
inline constexpr int heights[] = {1, 2, 3, 5, 8};
/// Only its own file, which has no transactions, knows how large it is.
extern const long depths[];

/// A table of functions that is no constant, as programs in C have. One is in another file.
struct Kind {
  long (*of)(long);
  const char* name;
  Operations operations;
};
extern Kind growing;

/// Addresses of constants and of string literals.
struct Labels {
  const char* text = nullptr;
  std::string_view view;
  const Species* species = nullptr;
  const Species* hidden = nullptr;
  const int* height = nullptr;
  const char* passed = nullptr;
  Kind* kind = nullptr;
  Kind* growing_kind = nullptr;
  const long* depth = nullptr;
};

/// As tables of well-known libraries are made: those that are empty lead to one bucket, which is not `const`.
template <class Value>
class Table {
 public:
  bool is_empty() const { return bucket_ == static_empty_bucket_ptr(); }
  long tag() const { return bucket_->tag; }

 private:
  struct Bucket {
    explicit Bucket(long given) : tag(given) {}
    ~Bucket() { tag = 0; }
    long tag;
    Value value{};
  };
  static Bucket* static_empty_bucket_ptr() {
    static Bucket empty_bucket(77);
    return &empty_bucket;
  }

  Bucket* bucket_ = static_empty_bucket_ptr();
};

/// Copied whole.
struct Word {
  const char* text;
  long count;
};

struct Counter {
  virtual ~Counter() = default;
  long add(long number) const { return value + number; }
  long scale(long number) const { return value * number; }
  virtual long turn(long number) const { return number - value; }
  long value = 3;
};

/// Pointers to member functions, one of them virtual: as they are, in a functor that is copied whole, and in what
/// std::function keeps.
struct Methods {
  using Method = long (Counter::*)(long) const;
  struct Bound {
    const Counter* counter;
    Method method;
    long operator()(long number) const { return (counter->*method)(number); }
  };
  Counter counter;
  Method constant = nullptr;
  Method passed = nullptr;
  Method turned = nullptr;
  Method none = nullptr;
  Bound bound{};
  std::function<long(long)> kept;
  std::function<long(long)> copied;
};

/// A coroutine, which waits in the pool and goes on in the next run.
struct Walk {
  struct promise_type {
    promise_type() = default;  // otherwise the arguments of the coroutine would be its members
    Walk get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    std::suspend_always yield_value(long yielded) noexcept {
      value = yielded;
      return {};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }

    long value = 0;
  };

  long next() const {
    handle.resume();
    return handle.promise().value;
  }

  std::coroutine_handle<promise_type> handle;
};
[[perdure::safe]] Walk walk_from(long begin);

struct Everything {
  std::vector<std::unique_ptr<Shape>> shapes;
  Named* named = nullptr;
  Coloured* coloured = nullptr;
  Diamond* diamond = nullptr;
  Base* base = nullptr;
  std::function<long(long)> function;
  std::function<long(long)> assigned;
  std::shared_ptr<Shape> shared;
  std::shared_ptr<long> with_deleter;
  std::any any;
  long (*pointer)(long) = nullptr;
  long (*passed)(long) = nullptr;
  Operations operations{};
  Operations copied{};
  Methods methods;
  Labels labels;
  Labels* made = nullptr;
  const Species* other = nullptr;
  std::vector<const char*> words;
  std::vector<Word> counted;
  Table<std::string> strings;
  Table<long> numbers;
  Walk walk;
};

}  // namespace objects

#endif
