#include "runtime/lane.h"

#include <cstdio>
#include <cstring>

#include "HalideRuntime.h"
#include "runtime/error.h"
#include "runtime/handle_range.h"

namespace halyard::runtime {

namespace {

HandleRange<Lane, 65536> lanes;

}  // namespace

void KernelFailure::report(const char *message) {
    if (!taken.exchange(true)) {
        snprintf(text, sizeof(text), "%s", message);
        for (size_t end = strlen(text); end > 0 && text[end - 1] == '\n'; --end) {
            text[end - 1] = 0;  // Halide ends some of its messages with one
        }
    }
}

void KernelFailure::clear() {
    taken = false;
    text[0] = 0;
}

Lane *lane_of(const void *user_context) {
    return lanes.find(user_context);
}

bool is_dead_lane(const void *user_context) {
    return lanes.covers(user_context) && !lanes.find(user_context);
}

Lane *create_lane() {
    return lanes.create();
}

void destroy_lane(Lane *lane) {
    lanes.destroy(lane);
}

int run_kernel(halyard_kernel function, const char *name, void *user_context, void **args) {
    const uint64_t errors = count_errors();
    const int code = function(user_context, args);
    if (code == 0) {
        return 0;
    }
    const Lane *lane = lane_of(user_context);
    const int negative = code < 0 ? code : halide_error_code_generic_error;
    if (lane && lane->failure && lane->failure->taken) {
        return set_error(negative, "kernel '%s' failed: %s", name, lane->failure->text);
    }
    // The kernel may have called the runtime, and handed its error on.
    return count_errors() != errors && last_code() == code
               ? set_error(negative, "kernel '%s' failed with code %d: %s", name, code,
                           last_error())
               : set_error(negative, "kernel '%s' failed with code %d", name, code);
}

}  // namespace halyard::runtime

const halyard_lane *halyard_get_lane(void *user_context) {
    const halyard::runtime::Lane *lane = halyard::runtime::lane_of(user_context);
    return lane ? &lane->shown : nullptr;
}

void *halyard_user_context(void *lane) {
    const halyard::runtime::Lane *known = halyard::runtime::lane_of(lane);
    return known ? known->caller : nullptr;
}
