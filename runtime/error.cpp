#include "runtime/error.h"

#include <cstdio>
#include <cstring>

namespace halyard::runtime {

namespace {

// No destructor: hooks set errors after those of the thread have run.
thread_local char text[2048];
thread_local int text_code;
thread_local uint64_t errors;

}  // namespace

int set_error(int code, const char *format, va_list arguments) {
    // The old text may be one of the arguments.
    char fresh[sizeof(text)];
    vsnprintf(fresh, sizeof(fresh), format, arguments);
    memcpy(text, fresh, sizeof(text));
    text_code = code;
    errors++;
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

int last_code() {
    return text_code;
}

uint64_t count_errors() {
    return errors;
}

}  // namespace halyard::runtime
