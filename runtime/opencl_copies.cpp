#include "runtime/copy_box.h"
#include "runtime/opencl_device.h"

namespace halyard::runtime {

namespace {

/// The same bytes in fewer rows and slices.
halyard_copy fold(halyard_copy copy) {
    if (copy.rows == 1) {
        copy.rows = copy.slices;
        copy.from_row = copy.from_slice;
        copy.to_row = copy.to_slice;
        copy.slices = 1;
    }
    if (copy.from_slice == copy.rows * copy.from_row && copy.to_slice == copy.rows * copy.to_row) {
        copy.rows *= copy.slices;
        copy.slices = 1;
    }
    if (copy.from_row == copy.width && copy.to_row == copy.width) {
        copy.width *= copy.rows;
        copy.rows = copy.slices;
        copy.from_row = copy.from_slice;
        copy.to_row = copy.to_slice;
        copy.slices = 1;
    }
    return copy;
}

bool is_flat(const halyard_copy &copy) {
    return copy.rows == 1 && copy.slices == 1;
}

// OpenCL wants slices to be whole rows apart, and not inside one another.
bool fits_slices(uint64_t rows, uint64_t row, uint64_t slice) {
    return slice % row == 0 && slice >= rows * row;
}

/// Calls `enqueue` with boxes that one driver call can copy: with `copy`, but for a form that
/// OpenCL does not have.
template<typename F>
int for_each_box(const halyard_copy &copy, F enqueue) {
    if (bytes_of(copy) == 0) {
        return 0;
    }
    halyard_copy box = fold(copy);
    if (box.slices == 1 || (fits_slices(box.rows, box.from_row, box.from_slice) &&
                            fits_slices(box.rows, box.to_row, box.to_slice))) {
        return enqueue(box);
    }
    const uint64_t slices = box.slices;
    box.slices = 1;
    for (uint64_t i = 0; i < slices; i++) {
        if (int code = enqueue(box)) {
            return code;
        }
        box.from.offset += box.from_slice;
        box.to.offset += box.to_slice;
    }
    return 0;
}

/// One side of a box, as the driver's rectangles have it.
struct Side {
    uint64_t bytes;  // from the first to behind the last
    size_t row, slice;
    size_t origin[3];
};

Side from_side(const halyard_copy &box) {
    return {span_from(box), box.from_row, box.slices == 1 ? 0 : box.from_slice, {}};
}
Side to_side(const halyard_copy &box) {
    return {span_to(box), box.to_row, box.slices == 1 ? 0 : box.to_slice, {}};
}

void *host_pointer(halyard_address address) {
    return reinterpret_cast<void *>(address.block + address.offset);
}

int upload_box(OpenclQueue &queue, const halyard_copy &box) {
    const OpenclApi &cl = *queue.device->cl;
    const Side from = from_side(box);
    Side to = to_side(box);
    OpenclPart part;
    if (int code = find_part(*queue.device, box.to, to.bytes, part)) {
        return code;
    }
    to.origin[0] = part.offset;
    const size_t region[] = {box.width, box.rows, box.slices};
    cl_event event = nullptr;
    cl_int code =
        is_flat(box)
            ? cl.clEnqueueWriteBuffer(queue.queue, part.memory, CL_FALSE, part.offset, box.width,
                                      host_pointer(box.from), 0, nullptr, &event)
            : cl.clEnqueueWriteBufferRect(queue.queue, part.memory, CL_FALSE, to.origin,
                                          from.origin, region, to.row, to.slice, from.row,
                                          from.slice, host_pointer(box.from), 0, nullptr, &event);
    return submit(queue, code, event, "an upload");
}

int download_box(OpenclQueue &queue, const halyard_copy &box) {
    const OpenclApi &cl = *queue.device->cl;
    Side from = from_side(box);
    const Side to = to_side(box);
    OpenclPart part;
    if (int code = find_part(*queue.device, box.from, from.bytes, part)) {
        return code;
    }
    from.origin[0] = part.offset;
    const size_t region[] = {box.width, box.rows, box.slices};
    cl_event event = nullptr;
    cl_int code =
        is_flat(box)
            ? cl.clEnqueueReadBuffer(queue.queue, part.memory, CL_FALSE, part.offset, box.width,
                                     host_pointer(box.to), 0, nullptr, &event)
            : cl.clEnqueueReadBufferRect(queue.queue, part.memory, CL_FALSE, from.origin, to.origin,
                                         region, from.row, from.slice, to.row, to.slice,
                                         host_pointer(box.to), 0, nullptr, &event);
    return submit(queue, code, event, "a download");
}

int local_row(OpenclQueue &queue, const halyard_copy &row) {
    const OpenclApi &cl = *queue.device->cl;
    OpenclPart source, target;
    if (int code = find_part(*queue.device, row.from, row.width, source)) {
        return code;
    }
    if (int code = find_part(*queue.device, row.to, row.width, target)) {
        return code;
    }
    cl_event event = nullptr;
    cl_int code = cl.clEnqueueCopyBuffer(queue.queue, source.memory, target.memory, source.offset,
                                         target.offset, row.width, 0, nullptr, &event);
    return submit(queue, code, event, "a local copy");
}

}  // namespace

int opencl_upload(halyard_queue *queue, const halyard_copy *copy) {
    return for_each_box(*copy,
                        [&](const halyard_copy &box) { return upload_box(opencl(queue), box); });
}

int opencl_download(halyard_queue *queue, const halyard_copy *copy) {
    return for_each_box(*copy,
                        [&](const halyard_copy &box) { return download_box(opencl(queue), box); });
}

// Row by row: clEnqueueCopyBufferRect refuses two pitches inside one buffer, and PoCL 3.1 crashes
// in it on parts. Values of an arena are dense: nearly every local copy is one row.
int opencl_local(halyard_queue *queue, const halyard_copy *copy) {
    const halyard_copy box = fold(*copy);
    for (uint64_t i = 0; i < (box.width ? box.rows * box.slices : 0); i++) {
        const uint64_t slice = i / box.rows, r = i % box.rows;
        halyard_copy row = box;
        row.from.offset += slice * box.from_slice + r * box.from_row;
        row.to.offset += slice * box.to_slice + r * box.to_row;
        if (int code = local_row(opencl(queue), row)) {
            return code;
        }
    }
    return 0;
}

int opencl_fill(halyard_queue *handle, halyard_address to, uint64_t bytes, const void *element,
                uint32_t element_bytes) {
    if (bytes == 0) {
        return 0;
    }
    OpenclQueue &queue = opencl(handle);
    OpenclPart part;
    if (int code = find_part(*queue.device, to, bytes, part)) {
        return code;
    }
    cl_event event = nullptr;
    cl_int code = queue.device->cl->clEnqueueFillBuffer(
        queue.queue, part.memory, element, element_bytes, part.offset, bytes, 0, nullptr, &event);
    return submit(queue, code, event, "a fill");
}

}  // namespace halyard::runtime
