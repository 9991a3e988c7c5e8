#ifndef PERDURE_ATTRIBUTES_H
#define PERDURE_ATTRIBUTES_H

/// Attributes that tell the compiler plugin about functions it cannot see into. Each is also a C++ attribute
/// (`[[perdure::safe]]`); the macros exist so that a header that uses them also compiles without the plugin.
///
/// PERDURE_SAFE  On a declaration: the function is defined in another file, which is compiled with the plugin and sees
///               the same declaration; transactions call its transactional clone.
/// PERDURE_PURE  The function reads and writes no memory that a transaction must track: it is called as it is.
/// PERDURE_UNSAFE The function must not be called in a transaction; a call is a compile-time error.
#ifdef __PERDURE__
#define PERDURE_SAFE [[perdure::safe]]
#define PERDURE_PURE [[perdure::pure]]
#define PERDURE_UNSAFE [[perdure::unsafe]]
#else
#define PERDURE_SAFE
#define PERDURE_PURE
#define PERDURE_UNSAFE
#endif

#endif
