#include "runtime/copy_box.h"

#include <cstring>

namespace halyard::runtime {

void copy_box(const halyard_copy &copy, const void *from, void *to) {
    if (copy.width == 0) {
        return;
    }
    for (uint64_t slice = 0; slice < copy.slices; slice++) {
        const char *source = static_cast<const char *>(from) + slice * copy.from_slice;
        char *target = static_cast<char *>(to) + slice * copy.to_slice;
        for (uint64_t row = 0; row < copy.rows; row++) {
            memmove(target, source, copy.width);  // a caller may hand in one buffer twice
            source += copy.from_row;
            target += copy.to_row;
        }
    }
}

uint64_t bytes_of(const halyard_copy &copy) {
    return copy.width * copy.rows * copy.slices;
}

uint64_t span_from(const halyard_copy &copy) {
    return bytes_of(copy) == 0
               ? 0
               : (copy.slices - 1) * copy.from_slice + (copy.rows - 1) * copy.from_row + copy.width;
}

uint64_t span_to(const halyard_copy &copy) {
    return bytes_of(copy) == 0
               ? 0
               : (copy.slices - 1) * copy.to_slice + (copy.rows - 1) * copy.to_row + copy.width;
}

}  // namespace halyard::runtime
