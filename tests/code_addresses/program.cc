// Makes objects that lead to code, and uses them in another run; see code_addresses_test.py.
//   program make|crash|change|check|call|walk <pool>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <typeinfo>

#include "objects.h"
#include "perdure/perdure.h"

#ifdef OTHER_LAYOUT
// Everything else lies elsewhere in this program than in the other one.
template <int Number>
[[gnu::used, gnu::noinline]] int padding(int value) {
  return value * Number + (Number > 0 ? padding<Number - 1>(value + 1) : 0);
}
template <>
int padding<0>(int value) {
  return value;
}
[[gnu::used]] int (*volatile const pads)(int) = padding<200>;
#endif

namespace {

using namespace objects;

/// Known to this file only.
struct Hidden : Shape {
  long area() const override { return 42; }
};

long negated(long number) { return -number; }

const Species hidden{"hidden", negated};
const char* const names[] = {"first", "second"};
Kind shrinking{half, "shrinking", {negated, twice}};

int failures = 0;

void expect(bool holds, const char* what, int line) {
  if (holds) return;
  std::fprintf(stderr, "line %d: %s does not hold\n", line, what);
  ++failures;
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

[[gnu::noinline]] void pass(Everything& all, long (*function)(long)) { all.passed = function; }

[[gnu::noinline]] void label(Labels& labels, const char* text, const char* passed) {
  labels = {text, text, &oak, &hidden, heights + 2, passed, &shrinking, &growing, depths + 1};
}

[[gnu::noinline]] void bind(Methods& methods, Methods::Method constant, Methods::Method passed,
                            Methods::Method turned) {
  methods.constant = constant;
  methods.passed = passed;
  methods.turned = turned;
  methods.none = nullptr;
}

void make_methods(Everything& all) {
  const Methods::Method volatile unknown = &Counter::scale;
  const Methods::Method passed = unknown;
  const Methods::Bound local{&all.methods.counter, passed};
  TM_BEGIN {
    Methods& methods = all.methods;
    bind(methods, &Counter::add, passed, &Counter::turn);
    methods.bound = local;
    methods.kept = std::bind(&Counter::add, &methods.counter, std::placeholders::_1);
    methods.copied = Methods::Bound{&methods.counter, passed};
  } TM_END;
}

void make_labels(Everything& all) {
  const Labels local{"a local's", "", &hidden, &oak, heights, names[0], &shrinking, &growing, depths};
  const Word word{"copied", 5};
  TM_BEGIN {
    label(all.labels, "a label", names[1]);
    all.made = new Labels(local);
    all.made->view = "a view";
    all.words.push_back("pushed");
    all.words.push_back(names[0]);
    all.counted.push_back(word);
    all.counted.push_back({"moved", 6});
#ifndef WITHOUT_HEXAGON
    all.other = &pine;
#endif
  } TM_END;
}

void make(Everything& all) {
  long (*volatile unknown)(long) = negated;
  long (*const passed)(long) = unknown;
  const Operations local{passed, twice};
  long captured = 5;
  TM_BEGIN {
    all.shapes.push_back(std::make_unique<Circle>(2));
    all.shapes.push_back(std::make_unique<Square>(3));
    all.shapes.push_back(std::make_unique<Hidden>());
#ifndef WITHOUT_HEXAGON
    all.shapes.push_back(std::make_unique<Hexagon>());
#endif
    auto* const both = new Both;
    all.named = both;
    all.coloured = both;
    all.diamond = new Diamond;
    all.base = all.diamond;
    all.function = std::function<long(long)>(twice);
    all.assigned = [captured](long number) { return number + captured; };
    all.shared = std::make_shared<Circle>(4);
    all.with_deleter = std::shared_ptr<long>(new long(17), [](long* number) { delete number; });
    all.any = std::string("a text that is too long for the object itself");
    all.pointer = twice;
    pass(all, passed);
    all.operations = {twice, half};
    all.copied = local;
  } TM_END;
  make_methods(all);
  make_labels(all);
  TM_BEGIN { all.walk = walk_from(3); } TM_END;
}

/// Goes on where the last run was.
void walk_on(Everything& all) {
  const long before = all.walk.handle.promise().value;
  long inside = 0;
  TM_BEGIN { inside = all.walk.next(); } TM_END;
  const long length = static_cast<long>(
      std::strlen("a name that is too long for the object itself and what else does not fit into the object"));
  EXPECT(inside == (before == 0 ? 3000000 : before) + length);
  long then = 0;
  TM_BEGIN { then = all.walk.next(); } TM_END;
  EXPECT(then == inside + length && all.walk.handle.promise().value == then);
}

/// Outside of transactions, and in one.
struct Answers {
  long areas = 0;
  long circles = 0;
  long named = 0, coloured = 0, diamond = 0, base = 0, right = 0;
  long function = 0, assigned = 0, shared = 0, deleted = 0, pointer = 0, passed = 0, operations = 0, copied = 0;
  std::string methods, labels;
  bool are_methods = false;
  long grown = 0, heights = 0, kinds = 0;
  long tags = 0;
  bool are_empty = false;
  bool is_oak = false, is_hidden = false, is_other = false, are_kinds = true;
  bool is_circle = false, is_both = false, is_coloured_both = false, is_text = false, is_right = false;
  bool operator==(const Answers&) const = default;
};

[[perdure::safe]] void ask_labels(Everything& all, Answers& answers) {
  for (const Labels* const labels : {&all.labels, all.made}) {
    answers.labels += std::string(labels->text) + ", " + std::string(labels->view) + ", " + labels->species->name +
                      ", " + labels->hidden->name + ", " + labels->passed + "; ";
    answers.grown = 10 * answers.grown + labels->species->grow(1) + labels->hidden->grow(2);
    answers.heights += labels->height[1] + labels->depth[1];
    answers.kinds =
        100 * answers.kinds + labels->kind->of(8) + labels->growing_kind->of(3) + labels->kind->operations.apply(1);
    answers.labels += std::string(labels->kind->name) + ", " + labels->growing_kind->name + "; ";
    answers.are_kinds = answers.are_kinds && labels->kind == &shrinking && labels->growing_kind == &growing;
  }
  for (const char* const word : all.words) answers.labels += std::string(word) + ". ";
  for (const Word& word : all.counted) answers.labels += std::string(word.text) + std::to_string(word.count) + ". ";
  // Before the program itself comes to the bucket.
  answers.tags = all.strings.tag() + all.numbers.tag();
  answers.are_empty = all.strings.is_empty() && all.numbers.is_empty();
  answers.is_oak = all.labels.species == &oak && all.made->species != &oak && all.made->hidden == &oak;
  answers.is_hidden =
      all.labels.hidden == &hidden && all.labels.height == &heights[2] && all.labels.depth == depths + 1;
  answers.is_other = all.other != &oak && all.pointer == twice && all.pointer != half;
}

[[perdure::safe]] void ask_methods(const Methods& methods, Answers& answers) {
  const Counter& counter = methods.counter;
  for (const long number : {(counter.*methods.constant)(1), (counter.*methods.passed)(2), (counter.*methods.turned)(10),
                            methods.bound(5), methods.kept(7), methods.copied(9)})
    answers.methods += std::to_string(number) + " ";
  answers.are_methods = methods.constant == &Counter::add && methods.constant != &Counter::scale &&
                        methods.passed == &Counter::scale && methods.passed != methods.constant &&
                        methods.none == nullptr;
}

[[perdure::safe]] void ask(Everything& all, Answers& answers) {
  answers = {};
  for (const auto& shape : all.shapes) {
    answers.areas += shape->area();
    if (dynamic_cast<const Circle*>(shape.get()) != nullptr) ++answers.circles;
  }
  const Shape& first = *all.shapes[0];
  const Shape& second = *all.shapes[1];
  answers.is_circle = typeid(first) == typeid(Circle) && typeid(second) != typeid(Circle);
  answers.named = all.named->number();
  answers.coloured = all.coloured->colour();
  answers.is_both = dynamic_cast<Both*>(all.named) != nullptr;
  answers.is_coloured_both = dynamic_cast<Named*>(all.coloured) == all.named;
  answers.diamond = all.diamond->base() + all.diamond->left();
  answers.base = all.base->base();
  answers.is_right = dynamic_cast<Right*>(all.base) == static_cast<Right*>(all.diamond);
  answers.right = static_cast<Right*>(all.diamond)->right();
  answers.function = all.function(10);
  answers.assigned = all.assigned(10);
  answers.shared = all.shared->area();
  answers.deleted = *all.with_deleter;
  const auto* const text = std::any_cast<std::string>(&all.any);
  answers.is_text = text != nullptr && text->size() > 40;
  answers.pointer = all.pointer(21);
  answers.passed = all.passed(21);
  answers.operations = all.operations.apply(3) + all.operations.undo(8);
  answers.copied = all.copied.apply(3) + all.copied.undo(8);
  ask_methods(all.methods, answers);
  ask_labels(all, answers);
}

void check(Everything& all, long hexagons) {
  Answers outside, inside;
  ask(all, outside);
  TM_BEGIN { ask(all, inside); } TM_END;
  EXPECT(inside == outside);
  EXPECT(outside.areas == 12 + 9 + 42 + 6 * hexagons);
  EXPECT(outside.circles == 1);
  EXPECT(outside.is_circle);
  EXPECT(outside.named == 110 && outside.coloured == 220);
  EXPECT(outside.is_both && outside.is_coloured_both);
  EXPECT(outside.diamond == 1007 + 8 && outside.base == 1007);
  EXPECT(outside.is_right && outside.right == 3007);
  EXPECT(outside.function == 20);
  EXPECT(outside.assigned == 15);
  EXPECT(outside.shared == 48 && outside.deleted == 17);
  EXPECT(outside.is_text);
  EXPECT(outside.pointer == 42 && outside.passed == -21);
  EXPECT(outside.operations == 10 && outside.copied == -3 + 16);
  EXPECT(outside.labels ==
         "a label, a label, oak, hidden, second; shrinking, growing; a local's, a view, hidden, oak, first; shrinking, "
         "growing; pushed. first. copied5. moved6. ");
  EXPECT(outside.methods == "4 6 7 15 10 27 " && outside.are_methods);
  EXPECT(outside.kinds == 909 && outside.are_kinds);
  EXPECT(outside.grown == 10 * (2 - 2) + (-1 + 4) && outside.heights == 5 + 40 + 2 + 20);
  EXPECT(outside.tags == 2 * 77 && outside.are_empty);
  EXPECT(outside.is_oak && outside.is_hidden && outside.is_other);
}

/// Destroys what the other run has made, and makes it anew.
void change(Everything& all) {
  TM_BEGIN {
    delete all.named;
    delete all.base;
    all.shapes.clear();
    all.function = nullptr;
    all.assigned = nullptr;
    all.methods.kept = nullptr;
    all.methods.copied = nullptr;
    all.shared.reset();
    all.with_deleter.reset();
    all.any.reset();
    delete all.made;
    all.walk.handle.destroy();
    all.words.clear();
    all.counted.clear();
  } TM_END;
  make(all);
}

}  // namespace

int main(int, char** arguments) {
  const std::string command = arguments[1];
  try {
    perdure::OpenOptions options;
    options.refuse_missing_code = command == "refuse";
    options.read_only = command == "read";
    perdure::Pool pool = perdure::Pool::open(arguments[2], options);
    auto& all = pool.root<Everything>("everything");
    if (command == "make" || command == "crash") make(all);
    if (command == "change") change(all);
    if (command != "call" && command != "walk") check(all, command == "lack" ? 0 : 1);
    if (command == "make" || command == "change" || command == "check" || command == "walk") walk_on(all);
    if (command == "call")
      for (const auto& shape : all.shapes) std::printf("%ld\n", shape->area());
    if (command == "call-in-transaction") {
      TM_BEGIN {
        for (const auto& shape : all.shapes) (void)shape->area();
      } TM_END;
    }
    if (command == "crash") _exit(failures);
  } catch (const perdure::PoolError& error) {
    std::fprintf(stderr, "refused: %s\n", error.what());
    return 3;
  }
  return failures;
}
