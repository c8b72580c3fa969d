#pragma once

#include <cstdarg>
#include <cstdint>

namespace halyard::runtime {

/// Keeps the text that halyard_last_error() gives to this thread, cut at 2 KiB, and gives back
/// `code`. Allocates nothing and is safe at any time, also while the process exits.
int set_error(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
int set_error(int code, const char *format, va_list arguments);

/// The text of this thread's last error; empty if there was none.
const char *last_error();

/// Its code, and how many errors this thread has seen so far.
int last_code();
uint64_t count_errors();

}  // namespace halyard::runtime
