#include "runtime/error.h"

#include <cstdio>
#include <cstring>

namespace halyard::runtime {

namespace {

// No destructor: hooks set errors after those of the thread have run.
thread_local char text[2048];

}  // namespace

int set_error(int code, const char *format, va_list arguments) {
    // The old text may be one of the arguments.
    char fresh[sizeof(text)];
    vsnprintf(fresh, sizeof(fresh), format, arguments);
    memcpy(text, fresh, sizeof(text));
    return code;
}

int set_error(int code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    set_error(code, format, arguments);
    va_end(arguments);
    return code;
}

const char *last_error() {
    return text;
}

}  // namespace halyard::runtime
