#ifndef PERDURE_TESTS_OTHER_CODE_DOCUMENTS_STEPS_H
#define PERDURE_TESTS_OTHER_CODE_DOCUMENTS_STEPS_H

#include <cstdio>
#include <cstdlib>
#include <string>

#ifdef PLAIN
#define TM_BEGIN {
#define TM_END }
#else
#include <perdure/perdure.h>
#endif

/// A document, and how many steps made it so.
template <class Document>
struct Stepped {
  Document document{};
  int steps = 0;
};

/// In a pool; with PLAIN, without transactions and pool. Prints each step's number and result when it has committed.
///   program <steps> [<pool>]
/// \param step  `std::string step(Document&, int)`, which does one step
template <class Document, class Step>
int run_steps(char** arguments, Step step) {
#ifdef PLAIN
  Stepped<Document> root;
#else
  perdure::Pool pool = perdure::Pool::open(arguments[2]);
  auto& root = pool.root<Stepped<Document> >("document");
#endif
  const int steps = std::atoi(arguments[1]);
  while (root.steps < steps) {
    std::string text;
    int number = 0;
    TM_BEGIN {
      number = ++root.steps;
      text = step(root.document, number);
    } TM_END;
    std::printf("%d %s\n", number, text.c_str());
    std::fflush(stdout);
  }
  return 0;
}

#endif
