#include "tests/interpreter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "tests/hash_kernels.h"

namespace halyard::tests {

namespace {

/// Calls `visit` with the coordinates of each element of a box, in dense order.
template<typename Visit>
void for_each_element(const Box &box, const Visit &visit) {
    const uint64_t count = elements_of(box);
    std::vector<int64_t> at;
    for (const Dim &dim : box) {
        at.push_back(dim.min);
    }
    for (uint64_t i = 0; i < count; i++) {
        visit(at);
        for (size_t d = 0; d < box.size() && ++at[d] == box[d].min + box[d].extent; d++) {
            at[d] = box[d].min;
        }
    }
}

size_t position_of(const Box &box, const std::vector<int64_t> &at) {
    size_t position = 0;
    for (size_t d = box.size(); d-- > 0;) {
        position =
            position * static_cast<size_t>(box[d].extent) + static_cast<size_t>(at[d] - box[d].min);
    }
    return position;
}

std::vector<uint8_t> gather(const std::vector<uint8_t> &bytes, const std::vector<size_t> &positions,
                            size_t size) {
    std::vector<uint8_t> part(positions.size() * size);
    for (size_t i = 0; i < positions.size(); i++) {
        std::copy_n(&bytes[positions[i] * size], size, &part[i * size]);
    }
    return part;
}

template<typename T>
std::vector<uint8_t> bytes_of_number(T number) {
    std::vector<uint8_t> bytes(sizeof(T));
    memcpy(bytes.data(), &number, sizeof(T));
    return bytes;
}

template<typename T>
std::vector<uint8_t> integer(double value) {
    const long double low = std::numeric_limits<T>::min();
    const long double high = std::numeric_limits<T>::max();
    return bytes_of_number(static_cast<T>(std::clamp<long double>(std::trunc(value), low, high)));
}

double decode_small_float(uint32_t bits, int exponent_bits) {
    const int fraction_bits = 15 - exponent_bits;
    const int exponent = static_cast<int>(bits >> fraction_bits & ((1u << exponent_bits) - 1));
    const double fraction = bits & ((1u << fraction_bits) - 1);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    return exponent == 0
               ? std::ldexp(fraction, 1 - bias - fraction_bits)
               : std::ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits);
}

/// The nearest of all numbers of a format of 16 bits; the even one of two.
std::vector<uint8_t> small_float(double value, int exponent_bits) {
    const uint32_t infinity = ((1u << exponent_bits) - 1) << (15 - exponent_bits);
    const double size = std::fabs(value);
    uint32_t best = 0;
    for (uint32_t bits = 1; bits <= infinity; bits++) {
        const double distance = std::fabs(decode_small_float(bits, exponent_bits) - size);
        const double least = std::fabs(decode_small_float(best, exponent_bits) - size);
        if (distance < least || (distance == least && bits % 2 == 0)) {
            best = bits;
        }
    }
    return bytes_of_number(static_cast<uint16_t>(best | (std::signbit(value) ? 0x8000 : 0)));
}

}  // namespace

std::vector<uint8_t> encode(Elem elem, double value) {
    switch (elem) {
        case Elem::Bool:
            return {static_cast<uint8_t>(value != 0)};
        case Elem::I8:
            return integer<int8_t>(value);
        case Elem::I16:
            return integer<int16_t>(value);
        case Elem::I32:
            return integer<int32_t>(value);
        case Elem::I64:
            return integer<int64_t>(value);
        case Elem::U8:
            return integer<uint8_t>(value);
        case Elem::U16:
            return integer<uint16_t>(value);
        case Elem::U32:
            return integer<uint32_t>(value);
        case Elem::U64:
            return integer<uint64_t>(value);
        case Elem::F16:
            return small_float(value, 5);
        case Elem::BF16:
            return small_float(value, 8);
        case Elem::F32:
            return bytes_of_number(static_cast<float>(value));
        case Elem::F64:
            return bytes_of_number(value);
    }
    throw std::invalid_argument("unknown element type");
}

/// As encode(), and each whole number of 64 bits as it is.
std::vector<uint8_t> encode_number(Elem elem, const Number &number) {
    const bool is_wide = elem == Elem::I64 || elem == Elem::U64;
    return is_wide ? bytes_of_number(number.as_bits()) : encode(elem, number.as_double());
}

std::vector<size_t> positions_in(const Box &whole, const Box &part) {
    std::vector<size_t> positions;
    for_each_element(part, [&](const auto &at) { positions.push_back(position_of(whole, at)); });
    return positions;
}

Interpreter::Interpreter(Graph graph, Contents data)
    : graph_(std::move(graph)), data_(std::move(data)) {
    reset();
}

void Interpreter::reset() {
    states_.clear();
    for (const State &state : graph_.states) {
        Bytes first;
        if (state.initial || state.file.empty()) {
            const Bytes one = encode_number(graph_[state.value].elem, state.initial.value_or(0));
            for (uint64_t i = 0; i < elements_of(box_of(state.value)); i++) {
                first.insert(first.end(), one.begin(), one.end());
            }
        } else {
            first = data_.at(graph_[state.value].name);
        }
        states_.emplace_back(state.delay + 1, first);
    }
}

const std::vector<uint8_t> &Interpreter::state(const std::string &name) const {
    for (size_t i = 0; i < states_.size(); i++) {
        if (graph_[graph_.states[i].value].name == name) {
            return states_[i].front();
        }
    }
    throw std::invalid_argument("no state " + name);
}

/// A value that no node makes.
void Interpreter::declare(ValueId value, Bytes bytes) {
    values_[index_of(value)] = std::move(bytes);
    std::vector<size_t> all(graph_[value].box ? elements_of(box_of(value)) : 1);
    std::iota(all.begin(), all.end(), size_t{0});
    homes_[index_of(value)] = {value, std::move(all)};
}

Contents Interpreter::call(const Contents &inputs) {
    values_.assign(graph_.values.size(), {});
    homes_.assign(graph_.values.size(), {});
    overlays_.clear();
    for (const Port &port : graph_.ports) {
        declare(port.value, inputs.at(graph_[port.value].name));
    }
    for (const Constant &constant : graph_.constants) {
        declare(constant.value, data_.at(graph_[constant.value].name));
    }
    for (size_t i = 0; i < states_.size(); i++) {
        declare(graph_.states[i].value, states_[i].front());
    }
    for (const Node &node : graph_.nodes) {
        std::visit(overloaded{
                       [&](const Kernel &kernel) { run(kernel, node.outputs); },
                       [&](const Crop &crop) {
                           view(node.outputs[0], crop.source,
                                positions_in(box_of(crop.source), crop.box));
                       },
                       [&](const Transpose &transpose) {
                           view(node.outputs[0], transpose.source, positions_of(node));
                       },
                       [&](const Reshape &reshape) {
                           view(node.outputs[0], reshape.source, positions_of(node));
                       },
                   },
                   node.op);
    }
    Contents results;
    for (const Output &output : graph_.outputs) {
        results[output.name] = values_[index_of(output.value)];
    }
    finish_states();
    return results;
}

/// Where each element of a transposed or reshaped value lies in its source.
std::vector<size_t> Interpreter::positions_of(const Node &node) const {
    const Box &box = box_of(node.outputs[0]);
    const auto *transpose = std::get_if<Transpose>(&node.op);
    std::vector<size_t> positions;
    for_each_element(box, [&](const auto &at) {
        if (!transpose) {
            positions.push_back(positions.size());
            return;
        }
        const Box &source = box_of(transpose->source);
        std::vector<int64_t> from(at.size());
        for (size_t d = 0; d < at.size(); d++) {
            const size_t s = transpose->order[d];
            from[s] = at[d] - box[d].min + source[s].min;
        }
        positions.push_back(position_of(source, from));
    });
    return positions;
}

void Interpreter::view(ValueId output, ValueId source, const std::vector<size_t> &positions) {
    values_[index_of(output)] = gather(values_[index_of(source)], positions, bytes_per(source));
    const Home &home = homes_[index_of(source)];
    Home &made = homes_[index_of(output)];
    made.base = home.base;
    for (size_t position : positions) {
        made.positions.push_back(home.positions[position]);
    }
}

void Interpreter::run(const Kernel &kernel, const std::vector<ValueId> &outputs) {
    KernelHash hash(kernel.function);
    std::vector<ValueId> inplace;
    for (const Arg &arg : kernel.args) {
        if (arg.as && *arg.as != graph_[arg.value].elem) {
            throw std::invalid_argument("reads as another type are not interpreted");
        }
        if (!graph_[arg.value].box) {
            hash.read_scalar(values_[index_of(arg.value)]);
            continue;
        }
        const Box &box = arg.box ? *arg.box : box_of(arg.value);
        if (arg.use == Use::Shape) {
            hash.read_shape(box);
            continue;
        }
        hash.read(box, gather(values_[index_of(arg.value)], positions_in(box_of(arg.value), box),
                              bytes_per(arg.value)));
        if (arg.use == Use::Inplace) {
            inplace.push_back(arg.value);
        }
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        declare(outputs[i], hash.output(graph_[outputs[i]].elem, box_of(outputs[i])));
        if (i < inplace.size()) {
            homes_[index_of(outputs[i])] = homes_[index_of(inplace[i])];
            overlays_.emplace_back(outputs[i], inplace[i]);
        }
    }
}

void Interpreter::finish_states() {
    for (size_t i = 0; i < states_.size(); i++) {
        const State &state = graph_.states[i];
        if (state.next) {
            states_[i].pop_front();
            states_[i].push_back(values_[index_of(*state.next)]);
            continue;
        }
        const size_t size = bytes_per(state.value);
        for (const auto &[output, argument] : overlays_) {
            const Home &home = homes_[index_of(output)];
            for (size_t e = 0; home.base == state.value && e < home.positions.size(); e++) {
                std::copy_n(&values_[index_of(output)][e * size], size,
                            &states_[i].front()[home.positions[e] * size]);
            }
        }
    }
}

}  // namespace halyard::tests
