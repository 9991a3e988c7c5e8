// Types of the standard libraries whose members alone do not say where their pointers are, and allocators.
// RUN: %clangxx -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,STDCXX
// RUN: %clangxx -O2 -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,STDCXX
// RUN: %if libc++ %{ %clangxx -O0 -stdlib=libc++ -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,LIBCXX %}
// RUN: %if libc++ %{ %clangxx -O2 -stdlib=libc++ -S -emit-llvm %s -o - | FileCheck %s --check-prefixes=CHECK,LIBCXX %}
#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <variant>
#include <vector>

#include "perdure/allocator.h"
#include "perdure/attributes.h"

PERDURE_SAFE void keep(void*);

struct Inner {
  int number;
  char* text;
};

// A pointer, which may lead to the characters in the string itself; or one bit that tells whether there is a pointer.
// CHECK-LABEL: @perdure_tm__Z7stringsv(
// STDCXX: @perdure.layout.32from8.p0x1)
// LIBCXX: @perdure.layout.24from8.c16x1if0and1is1)
// CHECK: @perdure_tm__Znam(
PERDURE_SAFE void strings() { keep(new std::string[2]); }

// CHECK-LABEL: @perdure_tm__Z9optionalsv(
// CHECK: @perdure.layout.24from0.p8x1)
PERDURE_SAFE void optionals() { keep(new std::optional<Inner>); }

// An integer beside a pointer; a pointer in one alternative; in all of them; in two of three.
// CHECK-LABEL: @perdure_tm__Z8variantsv(
// CHECK: @perdure.layout.24from0.u0x1.c8x1if16and255is1)
// CHECK: @perdure.layout.16from0.c0x1if8and255is1)
// CHECK: @perdure.layout.16from0.p0x1)
// CHECK: @perdure.layout.16from0.u0x1)
// Within a larger type; and with strings of libc++, where a second condition would be needed.
// STDCXX: @perdure.layout.64from0.p0x1.c8x1if24and255is1.p32x1)
// LIBCXX: @perdure.layout.56from0.p0x1.c8x1if24and255is1.c48x1if32and1is1)
// STDCXX: @perdure.layout.40from0.c0x1if32and255is1)
// LIBCXX: @perdure.layout.32from0.u16x1)
PERDURE_SAFE void variants() {
  keep(new std::variant<long, Inner, char*>);
  keep(new std::variant<int, char*>);
  keep(new std::variant<char*, int*>);
  keep(new std::variant<char*, int*, int>);
  struct Several {
    void* first;
    std::variant<float, void*, std::pair<int, double>> variant;
    std::string text;
  };
  keep(new Several);
  keep(new std::variant<int, std::string>);
}

// CHECK-LABEL: @perdure_tm__Z8pointersv(
// CHECK: @perdure.layout.8from0.p0x1)
// CHECK: @perdure.layout.16from0.p0x2)
// CHECK: @perdure.layout.8from0.p0x1)
// CHECK: @perdure.layout.8from0.u0x1)
PERDURE_SAFE void pointers() {
  keep(new std::unique_ptr<Inner>);
  keep(new std::shared_ptr<Inner>);
  keep(new std::atomic<Inner*>);
  keep(new std::atomic<long>);
}

// Memory for anything.
// CHECK-LABEL: @perdure_tm__Z7storagev(
// CHECK: @perdure.layout.24from0.u0x3)
// STDCXX: @perdure.layout.32from0.u0x2.p16x2)
// LIBCXX: @perdure.layout.{{[0-9]+}}from0.u0x{{[0-9]}}
PERDURE_SAFE void storage() {
  keep(new std::aligned_storage_t<24, 8>);
  keep(new std::function<void()>);
}

// Nodes have room for a value.
// CHECK-LABEL: @perdure_tm__Z11of_a_vector
// CHECK: @perdure.layout.16from0.p8x1)
PERDURE_SAFE void of_a_vector(std::vector<Inner>& vector) { vector.reserve(4); }

// CHECK-LABEL: @perdure_tm__Z9of_a_list
// CHECK: @perdure.layout.32from0.p0x2.p24x1)
PERDURE_SAFE void of_a_list(std::list<Inner>& list) { list.emplace_back(); }

// CHECK-LABEL: @perdure_tm__Z11of_a_string
// CHECK: @perdure.layout.8from0.u0x1)
PERDURE_SAFE void of_a_string(std::string& string) { string.reserve(100); }

// CHECK-LABEL: @perdure_tm__Z8of_a_map
// STDCXX: @perdure.layout.72from0.p8x4.u64x1)
// LIBCXX: @perdure.layout.64from0.p0x3.c48x1if32and1is1.u56x1)
PERDURE_SAFE void of_a_map(std::map<std::string, long>& map) { map.try_emplace("key"); }

// CHECK-LABEL: @perdure_tm__Z10of_a_table
// STDCXX-DAG: @perdure.layout.24from0.p0x1.p16x1)
// LIBCXX-DAG: @perdure.layout.32from0.p0x1.u8x1.p24x1)
// CHECK-DAG: @perdure.layout.8from0.p0x1)
PERDURE_SAFE void of_a_table(std::unordered_map<int, Inner*>& table) { table[3]; }

// CHECK-LABEL: @perdure_tm__Z7in_pool
// CHECK: @perdure.layout.16from0.p8x1)
// CHECK-NEXT: {{call|invoke}} {{.*}}@perdure_tm_perdure_allocate_in(
PERDURE_SAFE void in_pool(std::vector<Inner, perdure::allocator<Inner>>& vector) { vector.reserve(4); }
