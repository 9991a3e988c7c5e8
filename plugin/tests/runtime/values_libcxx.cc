// REQUIRES: libc++
// RUN: %if long %{ %run_on_deferred_runtime -O0 -g -stdlib=libc++ %}
// RUN: %run_on_deferred_runtime -O2 -stdlib=libc++

// The same with the other standard library.
#include "values.cc"
