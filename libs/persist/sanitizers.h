#ifndef PERDURE_PERSIST_SANITIZERS_H
#define PERDURE_PERSIST_SANITIZERS_H

/// Which sanitizer the code is compiled for, as gcc and clang each say it: PERDURE_THREAD_SANITIZER,
/// PERDURE_ADDRESS_SANITIZER. The crash simulator uses ThreadSanitizer's instrumentation with a runtime of its own, to
/// which none of that one's restrictions apply.
#ifndef PERDURE_SIMULATED
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PERDURE_THREAD_SANITIZER 1
#endif
#if __has_feature(address_sanitizer)
#define PERDURE_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define PERDURE_THREAD_SANITIZER 1
#endif
#if defined(__SANITIZE_ADDRESS__)
#define PERDURE_ADDRESS_SANITIZER 1
#endif
#endif

#endif
