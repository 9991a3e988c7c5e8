// REQUIRES: libc++
// RUN: %if long %{ %run_on_deferred_runtime -O0 -g -stdlib=libc++ %}
// RUN: %run_on_deferred_runtime -O2 -stdlib=libc++
// RUN: %if long %{ %run_on_deferred_runtime -O2 -stdlib=libc++ -fplugin-arg-perdure-write-only %}

// The same with the other standard library.
#include "containers.cc"
