#ifndef PERDURE_ATTRIBUTES_H
#define PERDURE_ATTRIBUTES_H

/// Attributes that tell the compiler plugin about functions it cannot see into. Each is also a C++ attribute
/// (`[[perdure::safe]]`); the macros exist so that a header that uses them also compiles without the plugin.
///
/// PERDURE_SAFE  On a declaration: the function is defined in another file, which is compiled with the plugin and sees
///               the same declaration; transactions call its transactional clone.
/// PERDURE_PURE  The function reads and writes no memory that a transaction must track: it is called as it is.
/// PERDURE_UNSAFE The function must not be called in a transaction; a call is a compile-time error.
/// PERDURE_REPLACE(f)  Transactions call this function instead of f, which has the same type; it may itself call f.
/// Marks
///               this function safe as well. Put it where the transactions that call f see it.
#if defined(__PERDURE__) && defined(__cplusplus)
#define PERDURE_SAFE [[perdure::safe]]
#define PERDURE_PURE [[perdure::pure]]
#define PERDURE_UNSAFE [[perdure::unsafe]]
#define PERDURE_REPLACE(f) [[perdure::replace(f)]]
#elif defined(__PERDURE__)  // in C: what the attributes become, because their own syntax is C23's
#define PERDURE_SAFE __attribute__((annotate("perdure.safe")))
#define PERDURE_PURE __attribute__((annotate("perdure.pure")))
#define PERDURE_UNSAFE __attribute__((annotate("perdure.unsafe")))
#define PERDURE_REPLACE(f) [[perdure::replace(f)]]
#else
#define PERDURE_SAFE
#define PERDURE_PURE
#define PERDURE_UNSAFE
#define PERDURE_REPLACE(f)
#endif

#endif
