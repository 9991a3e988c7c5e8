#ifndef PERDURE_TESTS_MATRIX_PROGRAM_H
#define PERDURE_TESTS_MATRIX_PROGRAM_H

/// Does the same work plainly and in transactions. \returns whether both came to the same, and something was rolled
/// back on the way.
bool does_the_same();

#endif
