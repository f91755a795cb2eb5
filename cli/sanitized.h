/* Defines SANITIZED if a sanitizer is built in: it is initialised only after the preinit array. */
#ifndef CLI_SANITIZED_H
#define CLI_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#endif
