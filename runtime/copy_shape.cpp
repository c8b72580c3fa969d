#include "runtime/copy_shape.h"

#include <algorithm>
#include <array>

namespace halyard::runtime {

namespace {

/// Dimensions with strides in bytes, in the order of the target's memory, and those that lie
/// without gaps in one another made one.
class Folded {
public:
    Folded(uint64_t elem_bytes, std::span<const CopyDimension> dimensions) {
        for (const CopyDimension &d : dimensions) {
            if (d.extent != 1) {
                all_[count_++] = {d.extent, d.from * elem_bytes, d.to * elem_bytes};
            }
        }
        std::sort(all_.begin(), all_.begin() + count_,
                  [](const CopyDimension &a, const CopyDimension &b) {
                      return a.to != b.to ? a.to < b.to : a.from < b.from;
                  });
        size_t kept = 0;
        for (size_t i = 0; i < count_; i++) {
            CopyDimension *last = kept > 0 ? &all_[kept - 1] : nullptr;
            if (last && all_[i].from == last->from * last->extent &&
                all_[i].to == last->to * last->extent) {
                last->extent *= all_[i].extent;
            } else {
                all_[kept++] = all_[i];
            }
        }
        count_ = kept;
    }

    bool done() const { return next_ == count_; }
    const CopyDimension &peek() const { return all_[next_]; }
    const CopyDimension &take() { return all_[next_++]; }

private:
    std::array<CopyDimension, max_dimensions> all_;
    size_t count_ = 0;
    size_t next_ = 0;
};

bool whole_rows(uint64_t slice, uint64_t row, uint64_t rows) {
    return slice % row == 0 && slice >= row * rows;
}

}  // namespace

uint64_t CopyShape::calls() const {
    uint64_t calls = is_empty() ? 0 : 1;
    for (uint32_t i = 0; i < loops; i++) {
        calls *= loop[i].count;
    }
    return calls;
}

CopyShape fold(uint32_t elem_bytes, std::span<const CopyDimension> dimensions) {
    CopyShape shape;
    halyard_copy &first = shape.first;
    first.rows = first.slices = 1;
    for (const CopyDimension &d : dimensions) {
        if (d.extent == 0) {
            return shape;
        }
    }
    Folded rest(elem_bytes, dimensions);
    first.width = elem_bytes;
    if (!rest.done() && rest.peek().from == elem_bytes && rest.peek().to == elem_bytes) {
        first.width *= rest.take().extent;
    }
    first.from_row = first.to_row = first.width;
    if (!rest.done()) {
        const CopyDimension &row = rest.take();
        first.rows = row.extent;
        first.from_row = row.from;
        first.to_row = row.to;
    }
    first.from_slice = first.from_row * first.rows;
    first.to_slice = first.to_row * first.rows;
    // Drivers want slices that are whole rows.
    if (!rest.done() && whole_rows(rest.peek().from, first.from_row, first.rows) &&
        whole_rows(rest.peek().to, first.to_row, first.rows)) {
        const CopyDimension &slice = rest.take();
        first.slices = slice.extent;
        first.from_slice = slice.from;
        first.to_slice = slice.to;
    }
    while (!rest.done()) {
        const CopyDimension &loop = rest.take();
        shape.loop[shape.loops++] = {loop.extent, loop.from, loop.to};
    }
    return shape;
}

}  // namespace halyard::runtime
