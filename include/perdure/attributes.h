#ifndef PERDURE_ATTRIBUTES_H
#define PERDURE_ATTRIBUTES_H

/// Attributes that tell the compiler plugin about functions it cannot see into. The macros go where `static` or
/// `inline` may go, in C and C++, behind any [[…]], and before or behind the type. A header that uses them also
/// compiles without the plugin. The attributes themselves are [[perdure::safe]] and so on, first in a declaration, or
/// __attribute__((perdure_safe)).
///
/// PERDURE_SAFE  On a declaration: the function is defined in another file, which is compiled with the plugin and sees
///               the same declaration; transactions call its transactional clone.
/// PERDURE_PURE  The function reads and writes no memory that a transaction must track: it is called as it is.
/// PERDURE_UNSAFE The function must not be called in a transaction; a call is a compile-time error.
/// PERDURE_SERIAL The function is called in serial transactions only (TM_SERIAL), where it may do anything; a call in
///               another transaction is a compile-time error. Seen by the file that defines it, its accesses are part
///               of the transaction. A function of a file without the plugin is called as it is.
/// PERDURE_REPLACE(f)  Transactions call this function instead of f, which has the same type; it may itself call f.
///               Marks this function safe as well. Put it where the transactions that call f see it.
#ifdef __PERDURE__
#define PERDURE_SAFE __attribute__((perdure_safe))
#define PERDURE_PURE __attribute__((perdure_pure))
#define PERDURE_UNSAFE __attribute__((perdure_unsafe))
#define PERDURE_SERIAL __attribute__((perdure_serial))
#define PERDURE_REPLACE(f) __attribute__((perdure_replace(f)))
#else
#define PERDURE_SAFE
#define PERDURE_PURE
#define PERDURE_UNSAFE
#define PERDURE_SERIAL
#define PERDURE_REPLACE(f)
#endif

#endif
