#include "runtime/verify_box.h"

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <utility>

namespace halyard::runtime {

void require(bool good, const char *format, ...) {
    if (!good) {
        char text[256];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof(text), format, arguments);
        va_end(arguments);
        throw Fault(text);
    }
}

bool fits_int32(int64_t value) {
    return value >= std::numeric_limits<int32_t>::min() &&
           value <= std::numeric_limits<int32_t>::max();
}

void verify_box(const Dims *box, const char *what, const char *name) {
    require(box, "%s '%s' has no box", what, name);
    require(box->size() <= max_dimensions, "%s '%s' has more than %u dimensions", what, name,
            max_dimensions);
    require(is_aligned(box), "the box of %s '%s' is not aligned", what, name);
    uint64_t elements = 1;
    for (uint32_t d = 0; d < box->size(); d++) {
        const int64_t min = box->Get(d)->min();
        const int64_t extent = box->Get(d)->extent();
        require(fits_int32(min) && fits_int32(extent) && extent >= 0 && fits_int32(min + extent),
                "dimension %u of %s '%s' is out of range", d, what, name);
        // Both factors stay below 2^47 and 2^31: wider than 64 bits only for a moment.
        elements = static_cast<uint64_t>(std::min<unsigned __int128>(
            static_cast<unsigned __int128>(elements) * extent, most_bytes));
        require(elements < most_bytes, "%s '%s' is too large", what, name);
    }
}

void verify_strides(const Dims *box, const Strides *strides, const char *what, const char *name) {
    verify_box(box, what, name);
    require(strides && box->size() == strides->size(), "the box and the strides of %s '%s' differ",
            what, name);
    require(is_aligned(strides), "the strides of %s '%s' are not aligned", what, name);
    uint64_t span = 1;
    for (uint32_t d = 0; d < box->size(); d++) {
        const int64_t extent = box->Get(d)->extent();
        const int64_t stride = strides->Get(d);
        require(stride >= 1 && fits_int32(stride), "stride %u of %s '%s' is out of range", d, what,
                name);
        span += extent == 0 ? 0 : static_cast<uint64_t>((extent - 1) * stride);
        require(span < most_bytes, "%s '%s' is too large", what, name);
    }
}

void verify_apart(const Dims *box, const Strides *strides, const char *what, const char *name) {
    if (elements_of(box) == 0) {
        return;
    }
    std::array<std::pair<int64_t, int64_t>, max_dimensions> loops;  // stride, extent
    for (uint32_t d = 0; d < box->size(); d++) {
        loops[d] = {strides->Get(d), box->Get(d)->extent()};
    }
    std::sort(loops.begin(), loops.begin() + box->size());
    int64_t end = 1;
    for (uint32_t d = 0; d < box->size(); d++) {
        const auto [stride, extent] = loops[d];
        require(extent == 1 || stride >= end, "%s '%s' overlaps itself", what, name);
        end += stride * (extent - 1);
    }
}

}  // namespace halyard::runtime
