#ifndef PERDURE_COUNTING_H
#define PERDURE_COUNTING_H

/// Numbers to which transactions add without conflicts: what perdure::counter (perdure/counter.h) and programs in C
/// (perdure/c.h) have in common. Such a word is aligned to 8 bytes, and transactions use it by these functions only.
#include <stdint.h>

#include "perdure/attributes.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Adds to `*word`, when the transaction commits; outside of transactions at once. Overflow wraps around. When the
/// transaction frees the block that the word is in, this is forgotten.
PERDURE_PURE void perdure_counter_add(int64_t* word, int64_t amount);

/// \returns `*word`, with what the running transaction has added.
PERDURE_PURE int64_t perdure_counter_value(const int64_t* word);

/// What the running transaction has added to `*word` is not added. Before the word becomes something else: where it is
/// assigned to, or where the bytes of a block that is not freed are used anew.
PERDURE_PURE void perdure_counter_forget(int64_t* word);

#ifdef __cplusplus
}
#endif

#endif
