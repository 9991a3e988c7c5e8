// Where the pointers of each type are, and which allocations are known: libs/abi/block_layout.h, as text.
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O1 -g -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clangxx -O1 -gno-column-info -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NO-COLUMNS
// RUN: %clangxx -O1 -fplugin-arg-perdure-self-relative -S -emit-llvm %s -o - | FileCheck %s --check-prefix=RELATIVE
//
// A file without transactions has none of it.
// RUN: %clangxx -DWITHOUT -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=WITHOUT
// WITHOUT-NOT: {{[@"]}}perdure
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#ifdef WITHOUT
void* sink() { return new int*[4]; }
#else
#include "perdure/allocator.h"
#include "perdure/transaction.h"

PERDURE_SAFE void keep(void*);

// The constant is what the runtime reads: no number yet, 80 bytes an element, the first at 0, five runs of words.
// CHECK-DAG: @perdure.layout.[[MIXED:80from0.p0x1.u8x1.p24x1.p40x1.u56x1]] = private global {{.*}} { i64 0, i32 80, i32 0, i32 5, i32 0, {{.*}} { i32 0, i32 1, i8 1, i8 0, i8 0, i8 0, i32 0 }, {{.*}} { i32 8, i32 1, i8 2, {{.*}}, align 8
// CHECK-DAG: @perdure.layout.0from0 = private global {{.*}} zeroinitializer
// RELATIVE: @perdure.layout.0from0
// RELATIVE-NOT: @perdure.layout.{{[1-9]}}

// In pools outside of transactions, too; elsewhere not.
// CHECK-LABEL: define {{.*}}@_Z7outsidev(
// CHECK-NOT: @perdure_set_block_layout
// CHECK-LABEL: define {{.*}}@_ZN7perdure9allocatorI5InnerE8allocateEm(
// CHECK: call void @perdure_set_block_layout(ptr {{.*}}@perdure.layout.16from0.p8x1)
// CHECK-NEXT: {{call|invoke}} {{.*}}@perdure_allocate_in(
//
// Clones of transactions come first, the last transaction's before.
// CHECK-LABEL: @"perdure_tm__ZN7perdure6detail6invokeIZ12transactionsvE3$_1EEvPv"(
// CHECK: @perdure.layout.0from0)
// CHECK: @perdure.layout.[[MIXED]])
// CHECK-LABEL: @"perdure_tm__ZN7perdure6detail6invokeIZ12transactionsvE3$_0EEvPv"(
// CHECK: @perdure.layout.16from0.p8x1)

struct Inner {
  int number;
  char* text;
};
struct Mixed {
  Mixed* next;
  long value;
  Inner inners[2];
  float ratio;
  unsigned bits : 3;
  union {
    double number;
    Mixed* other;
  };
  char name[16];
};
// NO-COLUMNS-LABEL: @perdure_tm__Z5mixedv(
// NO-COLUMNS: call void @perdure_set_block_layout(ptr @perdure.layout.80from0.
// CHECK-LABEL: @perdure_tm__Z5mixedv(
// CHECK: call void @perdure_set_block_layout(ptr {{.*}}@perdure.layout.[[MIXED]])
// CHECK-NEXT: call {{.*}}@perdure_tm__Znwm(i64 {{.*}}80)
PERDURE_SAFE void* mixed() { return new Mixed; }

// No pointers at all: all such layouts are the same one.
struct Plain {
  int a, b;
  float c;
  double d;
  char text[20];
  bool Plain::* member;
};
// CHECK-LABEL: @perdure_tm__Z5plainv(
// CHECK: @perdure.layout.0from0)
PERDURE_SAFE void* plain() { return new Plain; }

// The address of a member function, but of a virtual one an odd number.
struct Called {
  double before;
  void (Called::*function)();
};
// CHECK-LABEL: @perdure_tm__Z6calledv(
// CHECK: @perdure.layout.24from0.c8x1if8and1is0)
PERDURE_SAFE void* called() { return new Called; }

struct Scalars {
  int& reference;
  void (*function)();
  decltype(nullptr) null;
  unsigned __int128 wide;
  enum class Large : std::uint64_t {} large;
  std::uint64_t narrow : 20, middle : 12, broad : 40;
  alignas(8) char memory[12];
  long long vector __attribute__((vector_size(16)));
  _Atomic(int*) atomic;
};
// CHECK-LABEL: @perdure_tm__Z7scalarsPv(
// CHECK: @perdure.layout.128from0.p0x3.u32x3.u64x2.u96x2.p112x1)
PERDURE_SAFE void* scalars(void* memory) { return new Scalars(*static_cast<Scalars*>(memory)); }

struct Virtual {
  virtual ~Virtual();
  int* pointer;
};
struct Base {
  int* base;
};
struct Left : virtual Base {
  int* left;
};
struct Right : virtual Base {
  int right;
};
struct Empty {};
struct Both : Left, Right, Empty, Virtual {
  [[no_unique_address]] Empty empty;
  int* both;
};
// Left, Right, Virtual, both and Base, each with its table's pointer, which leads to a code address of the pool.
// CHECK-LABEL: @perdure_tm__Z4bothv(
// CHECK: @perdure.layout.64from0.p0x3.p32x4)
PERDURE_SAFE void* both() {
  void* const memory = new Both;
  return memory;
}

union Same {
  int* a;
  char* b;
};
union Numbers {
  double number;
  float ratios[2];
};
union OneAndDummy {
  char dummy;
  Inner inner;
};
union Storage {
  int* pointer;
  char bytes[24];
};
union ByteOrPointer {
  bool says_something;
  int* pointer;
};
struct Unions {
  Same same;
  Numbers numbers;
  OneAndDummy one;
  Storage storage;
  ByteOrPointer either;
};
// CHECK-LABEL: @perdure_tm__Z6unionsv(
// CHECK: @perdure.layout.64from0.p0x1.p24x1.u32x4)
PERDURE_SAFE void* unions() { return new Unions; }

struct Destroyed {
  ~Destroyed();
  int* pointer;
};
struct alignas(32) Aligned {
  ~Aligned();
  int* pointer;
};
// A count is before the elements where delete[] needs one.
// CHECK-LABEL: @perdure_tm__Z6arraysm(
// CHECK: @perdure.layout.8from8.p0x1)
// CHECK: @perdure_tm__Znam
// CHECK: @perdure.layout.32from32.p0x1)
// CHECK: @perdure_tm__ZnamSt11align_val_t(
// CHECK: @perdure.layout.8from0.p0x1)
// CHECK: @perdure.layout.32from0.p0x4)
// CHECK: @perdure.layout.16from0.p8x1)
// CHECK: @perdure_tm__ZnwmRKSt9nothrow_t(
PERDURE_SAFE void arrays(std::size_t count) {
  keep(new Destroyed[count]);
  keep(new Aligned[count]);
  keep(new int*[count]);
  keep(new int*[count][4]);
  keep(new (std::nothrow) Inner);
}

// What cannot be described, or is not certain: a pointer that is not aligned, an allocation without a type, a class's own.
struct [[gnu::packed]] Packed {
  char character;
  int* pointer;
};
struct Large {
  int* pointers[10000];
};
struct Own {
  static void* operator new(std::size_t bytes) { return ::operator new(bytes + 8); }
  int* pointer;
};
// CHECK-LABEL: @perdure_tm__Z7unknownm(
// CHECK-NOT: @perdure_set_block_layout
// CHECK: }
PERDURE_SAFE void unknown(std::size_t bytes) {
  keep(new Packed);
  keep(new Large);
  keep(new Own);
  keep(::operator new(bytes));
  keep(std::malloc(bytes));
  keep(static_cast<Inner*>(std::malloc(sizeof(Inner) + bytes)));
  keep(static_cast<Mixed*>(std::malloc(sizeof(Inner))));
}

// CHECK-LABEL: @perdure_tm__Z4of_cm(
// CHECK: @perdure.layout.16from0.p8x1)
// CHECK-NEXT: @perdure_tm_malloc(
// CHECK: @perdure.layout.16from0.p8x1)
// CHECK-NEXT: @perdure_tm_calloc(
// CHECK: @perdure.layout.8from0.p0x1)
// CHECK-NEXT: @perdure_tm_aligned_alloc(
// CHECK: @perdure.layout.16from0.p8x1)
// CHECK-NEXT: @perdure_tm__Znwm(
PERDURE_SAFE void of_c(std::size_t count) {
  keep((Inner*)std::malloc(count * sizeof(Inner)));
  Inner* inner = static_cast<Inner*>(std::calloc(count, sizeof *inner));
  keep(inner);
  keep(static_cast<int**>(std::aligned_alloc(64, sizeof(int*) * count)));
  keep(static_cast<Inner*>(::operator new(count * sizeof(Inner))));
}

// Two types in one template, and in lambdas in it.
template <class T>
void make() {
  keep(new T);
  auto lambda = [] { keep(new T*[2]); };
  lambda();
  auto generic = [](auto* example) { keep(new auto(*example)); };
  T value{};
  generic(&value);
}
// CHECK-LABEL: @perdure_tm__Z9templatesv(
// CHECK-DAG: @perdure.layout.16from0.p8x1)
// CHECK-DAG: @perdure.layout.0from0)
// CHECK-DAG: @perdure.layout.8from0.p0x1)
PERDURE_SAFE void templates() {
  make<Inner>();
  make<int>();
}

// Several at one place: only what all agree in.
#define TWO(first, second) \
  keep(new first);         \
  keep(new second)
// CHECK-LABEL: @perdure_tm__Z6macrosv(
// CHECK: @perdure.layout.16from0.p8x1)
// CHECK: @perdure.layout.16from0.p8x1)
// CHECK: call {{.*}}@perdure_tm__Znwm(i64 {{.*}}16)
// CHECK-NOT: @perdure_set_block_layout
// CHECK: }
PERDURE_SAFE void macros() {
  TWO(Inner, Inner);
  TWO(Inner, Plain);
}

// Lambdas, and local classes of one name, are not numbered in the order of the source.
void transactions() {
  TM_BEGIN { keep(new Inner); } TM_END;
  TM_BEGIN {
    keep(new int);
    const auto inside = [] { keep(new Mixed); };
    inside();
  } TM_END;
}
template <class T>
struct Maker {
  static void make() { keep(new T); }
};
// CHECK-LABEL: @perdure_tm__Z6localsv(
// CHECK-NOT: @perdure_set_block_layout
// CHECK: }
[[gnu::noinline]] PERDURE_SAFE void locals() {
  {
    struct Local {
      int* pointer;
    };
    Maker<Local>::make();
  }
  {
    struct Local {
      int number;
      int* pointer;
    };
    Maker<Local>::make();
  }
}

struct Initialised {
  Inner* inner = new Inner;
  int* number;
  Initialised() : number(new int) {}
};
// CHECK-LABEL: @perdure_tm__Z12initialisersv(
// CHECK-DAG: @perdure.layout.16from0.p0x2)
// CHECK-DAG: @perdure.layout.16from0.p8x1)
// CHECK-DAG: @perdure.layout.0from0)
PERDURE_SAFE void initialisers() { keep(new Initialised); }

// The code of a default argument has the place of the call.
PERDURE_SAFE void keep_default(void* memory = new Mixed);
// CHECK-LABEL: @perdure_tm__Z12default_onlyv(
// CHECK: @perdure.layout.[[MIXED]])
PERDURE_SAFE void default_only() { keep_default(); }
struct Defaulted {
  Inner inner;
  PERDURE_SAFE Defaulted(Mixed* mixed = new Mixed);
};
// CHECK-LABEL: @perdure_tm__Z14default_at_newv(
// CHECK-NOT: @perdure.layout.[[MIXED]])
// CHECK: }
PERDURE_SAFE void default_at_new() { keep(new Defaulted); }

void outside() { keep(new Inner); }
template class perdure::allocator<Inner>;

// A function's own symbol.
PERDURE_SAFE void named() asm("a_symbol");
// CHECK-LABEL: @perdure_tm_a_symbol(
// CHECK: @perdure.layout.16from0.p8x1)
void named() { keep(new Inner); }

#endif
