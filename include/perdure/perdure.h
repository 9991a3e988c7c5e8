#ifndef PERDURE_PERDURE_H
#define PERDURE_PERDURE_H

/// Everything a program needs: transactions, pools, statistics.
#include "perdure/allocator.h"
#include "perdure/attributes.h"
#include "perdure/counter.h"
#include "perdure/durability.h"
#include "perdure/error.h"
#include "perdure/handlers.h"
#include "perdure/nested.h"
#include "perdure/pool.h"
#include "perdure/retry.h"
#include "perdure/roots.h"
#include "perdure/statistics.h"
#include "perdure/transaction.h"

#endif
