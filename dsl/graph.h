#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dsl/device.h"
#include "dsl/number.h"

namespace halyard {

/// Combines lambdas to one visitor. No generic catch-all goes in: a new alternative must break the
/// build.
template<typename... F>
struct overloaded : F... {
    using F::operator()...;
};
template<typename... F>
overloaded(F...) -> overloaded<F...>;

enum class ValueId : uint32_t {};
enum class NodeId : uint32_t {};
enum class DelegateId : uint32_t {};

/// The position of an id in the vector that it indexes.
template<typename Id>
constexpr size_t index_of(Id id) {
    return static_cast<size_t>(id);
}

enum class Elem : uint8_t { Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64 };

/// Bytes of one element: bool takes 1.
uint32_t bytes_of(Elem elem);

struct Dim {
    int64_t min = 0;
    int64_t extent = 0;
    bool operator==(const Dim &) const = default;
};

/// Dimensions, innermost first. No dimensions: one element.
using Box = std::vector<Dim>;

/// Elements in `box`; 1 for no dimensions. Does not overflow for a box that is_addressable().
uint64_t elements_of(const Box &box);

/// Whether no extent is negative, and every end (min + extent), every dense stride and the bytes of
/// any element type fit int64_t. True for each box that parse() or verify_graph() accepted.
bool is_addressable(const Box &box);

/// The smallest box that holds all elements of both; they have equally many dimensions.
Box bounding_box(const Box &a, const Box &b);

/// Whether `outer` holds all elements of `inner` and has as many dimensions.
bool contains(const Box &outer, const Box &inner);

/// A place in the text or source that something came from. Never part of a comparison.
struct SourcePos {
    std::string file;
    int line = 0;
    int column = 0;
    friend bool operator==(const SourcePos &, const SourcePos &) { return true; }
};

/// "file:line:column", less what is not known (0); empty without a line.
std::string to_string(const SourcePos &pos);

/// Something that is written once and has memory, or a scalar that is passed by value.
struct Value {
    std::string name;  ///< without '%'
    Elem elem = Elem::F32;
    std::optional<Box> box;  ///< none: a scalar port, passed by value
    SourcePos pos;

    bool operator==(const Value &) const = default;
};

/// How a buffer lies in memory. Default: dense, first dimension innermost.
struct Layout {
    std::vector<uint32_t> order;  ///< dimensions from the smallest stride up; empty: 0, 1, 2, …
    bool pitched = false;         ///< rows may be apart, the stride is known at the call
    bool operator==(const Layout &) const = default;
};

/// An input of the pipeline, and where the caller's buffer lives.
struct Port {
    ValueId value{};
    Layout layout;
    Device device;
    bool pinned = false;
    SourcePos pos;
    bool operator==(const Port &) const = default;
};

/// An output of the pipeline. Several outputs may name one value, which may also be a port.
struct Output {
    ValueId value{};
    std::string name;  ///< the port's name: the value's own unless the text says `as`
    Layout layout;
    Device device;
    bool pinned = false;
    SourcePos pos;
    bool operator==(const Output &) const = default;
};

/// A value known when the pipeline is compiled. Its data is no part of the graph.
struct Constant {
    ValueId value{};
    std::string file;  ///< raw bytes beside the graph; empty: the data is given by name
    bool operator==(const Constant &) const = default;
};

/// A value that survives a call: read as it was, replaced by `next` when the call succeeds.
struct State {
    ValueId value{};
    std::string file;               ///< initial array, raw bytes beside the graph; empty: none
    std::optional<Device> device;   ///< none: the space of the kernel that makes `next`
    std::optional<Number> initial;  ///< initial scalar, a fill
    uint32_t delay = 0;             ///< a call reads what was made delay + 1 calls earlier
    std::optional<ValueId> next;  ///< none: it keeps its value, unless a kernel takes it `inplace`
    SourcePos pos;
    bool operator==(const State &) const = default;
};

enum class TimeUnit : uint8_t { Ns, Us, Ms, S };

struct Cost {
    double amount = 0;
    TimeUnit unit = TimeUnit::Us;
    bool operator==(const Cost &) const = default;
};

/// The planner chooses one of these devices; each has the cost of running there.
struct Auto {
    std::vector<std::pair<Device, Cost>> choices;
    bool operator==(const Auto &) const = default;
};

using Place = std::variant<Device, Auto>;

/// Kernels that are placed together. No place: cpu.
struct Delegate {
    std::string name;
    std::optional<Place> place;
    SourcePos pos;
    bool operator==(const Delegate &) const = default;
};

enum class Use : uint8_t {
    Read,
    Inplace,  ///< the n-th such argument gives its memory to the kernel's n-th output
    Shape,    ///< extents are read, data is not: nothing moves
};

struct Arg {
    ValueId value{};
    Use use = Use::Read;
    std::optional<Box> box;  ///< the part that is read; none: all
    std::optional<Elem> as;  ///< the element type that this reader needs; none: the value's own
    Layout layout;           ///< the layout that this reader needs; default: any
    bool operator==(const Arg &) const = default;
};

/// Code that makes the values of its node: a piece of a Halide pipeline or a foreign function.
struct Kernel {
    std::string function;
    std::vector<Arg> args;
    std::optional<DelegateId> delegate;
    std::optional<Place> place;  ///< only where there is no delegate; neither: cpu
    uint64_t workspace = 0;      ///< bytes in the arena of the kernel's space

    /// No place and cpu are the same: the text form says cpu for both.
    bool operator==(const Kernel &other) const;
};

/// Part of a value. The node's box has the extents of `box`.
struct Crop {
    ValueId source{};
    Box box;
    bool operator==(const Crop &) const = default;
};

/// Dimension i of the node's value is dimension order[i] of `source`.
struct Transpose {
    ValueId source{};
    std::vector<uint32_t> order;
    bool operator==(const Transpose &) const = default;
};

/// The same elements in the same order under another box.
struct Reshape {
    ValueId source{};
    bool operator==(const Reshape &) const = default;
};

using Op = std::variant<Kernel, Crop, Transpose, Reshape>;

struct Node {
    std::vector<ValueId> outputs;  ///< several for a kernel only
    Op op;
    SourcePos pos;
    bool operator==(const Node &) const = default;
};

/// A value made present in one more space. Made by the planner; dropped when a text is read.
struct Transfer {
    ValueId value{};
    Box box;
    Device from, to;
    std::string reason;
    bool operator==(const Transfer &) const = default;
};

/// The only transfers that are allowed.
struct Strict {
    struct Entry {
        std::string transfer;  ///< "value -> device"
        SourcePos pos;
        bool operator==(const Entry &) const = default;
    };
    std::vector<Entry> entries;
    SourcePos pos;
    bool operator==(const Strict &) const = default;
};

/// A flat data-flow graph, its nodes in an order in which they can run.
struct Graph {
    std::string name;
    std::vector<Value> values;
    std::vector<Port> ports;
    std::vector<Output> outputs;
    std::vector<Constant> constants;
    std::vector<State> states;
    std::vector<Delegate> delegates;
    std::optional<Strict> strict;  ///< none: all transfers are allowed
    std::vector<Node> nodes;
    std::vector<Transfer> transfers;
    bool operator==(const Graph &) const = default;

    Value &operator[](ValueId id) { return values[index_of(id)]; }
    const Value &operator[](ValueId id) const { return values[index_of(id)]; }
    Node &operator[](NodeId id) { return nodes[index_of(id)]; }
    const Node &operator[](NodeId id) const { return nodes[index_of(id)]; }
    Delegate &operator[](DelegateId id) { return delegates[index_of(id)]; }
    const Delegate &operator[](DelegateId id) const { return delegates[index_of(id)]; }
};

/// The place of a kernel: its own, its delegate's, else cpu.
Place place_of(const Graph &graph, const Kernel &kernel);

/// Renumbers values in the order in which the text form declares them: ports, constants, states,
/// then the outputs of nodes. So parse(print(g)) == g holds for each graph that is numbered so.
Graph number_values(Graph graph);

}  // namespace halyard
