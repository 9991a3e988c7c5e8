// Functions of the C library that transactions cannot call are refused with the reason, and what to do instead. Those that
// the program defines itself are its own, whatever they are called.
// RUN: not %clangxx -c %s -o %t.o 2>&1 | FileCheck %s
// RUN: not %clangxx -O2 -D_FORTIFY_SOURCE=2 -c %s -o %t.o 2>&1 | FileCheck %s
#include <getopt.h>
#include <iconv.h>
#include <pthread.h>
#include <search.h>
#include <unistd.h>

#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "perdure/transaction.h"

pthread_mutex_t mutex;
long accepted;
extern "C" int lockf(int, int, off_t) { return accepted > 0 ? 1 : 0; }  // no call of the library's

void all(char* text) {
  TM_BEGIN {
    // CHECK: [[@LINE+2]]:5: error: call to '{{(__)?}}fprintf{{(_chk)?}}' in a transaction cannot be made transactional
    // CHECK: note: it reads or writes a stream, which an abort cannot undo: do it after the transaction
    std::fprintf(stderr, "%s", text);
    // CHECK: [[@LINE+2]]:5: error: call to 'hcreate' in
    // CHECK: note: it keeps its result or its state in memory of the C library that threads share: use the function
    hcreate(10);
    // CHECK: [[@LINE+2]]:17: error: call to 'getopt_long' in
    // CHECK: note: it keeps state that threads share, and reports errors on a stream: do it before the transaction; strtok_r
    accepted += getopt_long(1, &text, "a", nullptr, nullptr);
    // CHECK: [[@LINE+2]]:5: error: call to 'iconv_close' in
    // CHECK: note: it reads files, and its state cannot be undone: do it before or after the transaction, or use mbrtowc
    iconv_close(nullptr);
    // CHECK: [[@LINE+2]]:5: error: call to 'pthread_mutex_lock' in
    // CHECK: note: a transaction is isolated without locks
    pthread_mutex_lock(&mutex);
    // CHECK: [[@LINE+2]]:5: error: call to 'setlocale' in
    // CHECK: note: it changes the locale
    std::setlocale(LC_ALL, text);
    // CHECK: [[@LINE+2]]:5: error: call to 'sleep' in
    // CHECK: note: a transaction may not wait
    sleep(1);
    // CHECK: [[@LINE+2]]:5: error: call to 'atexit' in
    // CHECK: note: the handler would outlive the transaction
    std::atexit(std::abort);
    accepted += lockf(1, 2, 3);
  } TM_END;
}
// CHECK: 8 errors generated
