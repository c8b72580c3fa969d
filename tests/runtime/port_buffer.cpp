#include "tests/runtime/port_buffer.h"

#include <algorithm>
#include <stdexcept>

#include "runtime/sim.h"

namespace halyard::tests {

namespace {

constexpr uint8_t gap = 0xa7;

halide_type_t type_of(Elem elem) {
    const auto bits = static_cast<uint8_t>(bytes_of(elem) * 8);
    switch (elem) {
        case Elem::Bool:
            return {halide_type_uint, 1};
        case Elem::I8:
        case Elem::I16:
        case Elem::I32:
        case Elem::I64:
            return {halide_type_int, bits};
        case Elem::U8:
        case Elem::U16:
        case Elem::U32:
        case Elem::U64:
            return {halide_type_uint, bits};
        case Elem::F16:
        case Elem::F32:
        case Elem::F64:
            return {halide_type_float, bits};
        case Elem::BF16:
            return {halide_type_bfloat, bits};
    }
    throw std::invalid_argument("unknown element type");
}

}  // namespace

PortBuffer::PortBuffer(const Value &value, const Layout &layout, Device device)
    : elem_(value.elem), is_on_device_(!device.is_host()) {
    const Box &box = *value.box;
    dimensions_.resize(box.size());
    int64_t stride = 1;
    for (size_t i = 0; i < box.size(); i++) {
        const size_t d = layout.order.empty() ? i : layout.order[i];
        dimensions_[d] =
            halide_dimension_t(static_cast<int32_t>(box[d].min),
                               static_cast<int32_t>(box[d].extent), static_cast<int32_t>(stride));
        const bool gap_follows = layout.pitched && box[d].extent > 1;
        // Three elements between rows, a row between slices.
        stride *= std::max<int64_t>(box[d].extent, 1) + (gap_follows ? (stride == 1 ? 3 : 1) : 0);
    }
    memory_.assign(static_cast<size_t>(stride) * bytes_of(elem_), gap);
    buffer_.host = memory_.data();
    buffer_.type = type_of(elem_);
    buffer_.dimensions = static_cast<int32_t>(box.size());
    buffer_.dim = dimensions_.data();
    if (is_on_device_) {
        const halide_device_interface_t *interface = runtime::sim_interface(device.index);
        buffer_.set_host_dirty();
        if (interface->copy_to_device(nullptr, &buffer_, interface) != 0) {
            throw std::runtime_error("no memory on the simulated device");
        }
    }
}

PortBuffer::~PortBuffer() {
    if (is_on_device_) {
        buffer_.device_interface->device_free(nullptr, &buffer_);
    }
}

std::vector<size_t> PortBuffer::element_offsets() const {
    std::vector<size_t> offsets;
    std::vector<int32_t> at(dimensions_.size());
    const size_t count = buffer_.number_of_elements();
    for (size_t i = 0; i < count; i++) {
        size_t offset = 0;
        for (size_t d = 0; d < at.size(); d++) {
            offset += static_cast<size_t>(at[d]) * static_cast<size_t>(dimensions_[d].stride);
        }
        offsets.push_back(offset * bytes_of(elem_));
        for (size_t d = 0; d < at.size() && ++at[d] == dimensions_[d].extent; d++) {
            at[d] = 0;
        }
    }
    return offsets;
}

void PortBuffer::write(const std::vector<uint8_t> &dense) {
    const uint8_t *next = dense.data();
    for (size_t offset : element_offsets()) {
        std::copy_n(next, bytes_of(elem_), &memory_[offset]);
        next += bytes_of(elem_);
    }
    buffer_.flags = 0;
    if (is_on_device_) {
        buffer_.set_host_dirty();
        buffer_.device_interface->copy_to_device(nullptr, &buffer_, buffer_.device_interface);
    }
}

void PortBuffer::sync_to_host() {
    if (is_on_device_ && buffer_.device_dirty()) {
        buffer_.device_interface->copy_to_host(nullptr, &buffer_);
    }
}

std::vector<uint8_t> PortBuffer::read() {
    sync_to_host();
    std::vector<uint8_t> dense;
    for (size_t offset : element_offsets()) {
        dense.insert(dense.end(), &memory_[offset], &memory_[offset] + bytes_of(elem_));
    }
    return dense;
}

bool PortBuffer::gaps_are_whole() {
    sync_to_host();
    std::vector<uint8_t> is_element(memory_.size());
    for (size_t offset : element_offsets()) {
        std::fill_n(&is_element[offset], bytes_of(elem_), 1);
    }
    for (size_t i = 0; i < memory_.size(); i++) {
        if (!is_element[i] && memory_[i] != gap) {
            return false;
        }
    }
    return true;
}

}  // namespace halyard::tests
