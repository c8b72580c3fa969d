// Plans with one byte changed and the checksum put right: an error, or a run that stays inside its
// memory. Sanitizers look at the latter. One change to each byte, chosen by HALYARD_SEED;
// HALYARD_ALL=1 makes each change of a bit, and that of all eight.
#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "pipeline/plan_blob.h"
#include "runtime/blob.h"
#include "runtime/elem.h"
#include "runtime/shape.h"
#include "runtime/sim.h"
#include "tests/runtime/run_graph.h"
#include "tests/runtime/seal_blob.h"
#include "tests/wants_all.h"

using namespace halyard;
using namespace halyard::tests;

namespace {

constexpr size_t most_kernels = 8;
constexpr uint64_t most_bytes = 1 << 20;

/// A graph with something of everything that a plan can hold.
TestLibrary make_library() {
    const Graph graph = graph_on_sim(R"(
        pipeline p(%a: f32[2,2] @cpu, %w: u16[3,2] pitched @cpu, %s: i32 @cpu) -> (%o @cpu, %q @sim:1) {
          const %c: f32[2]
          state %k: f32[2] = 1
          %t: f32[2,2], %n: f32[2] = f(%a, %c, %k, %s) @sim:0 workspace 40
          next %k = %n
          %o: f32[2] = h(%t[1+1,2], shape %a, %w, %c) @cpu
          %q: f32[2,2] = g(%t) @sim:1
        })");
    return TestLibrary({pipeline::make_plan(graph, {.peer = true, .dump = {}})},
                       make_data(graph, 1));
}

/// What a kernel may touch of an argument.
struct Handed {
    enum class As : uint8_t { Shape, Buffer, Scalar };
    As as = As::Shape;
    uint32_t bytes = 0;  ///< of a scalar
    bool is_output = false;
    bool operator==(const Handed &) const = default;
};

/// What all launches of a kernel hand it, by the plan: C functions are not told.
class Launches {
public:
    Launches(const fbs::Library &library, uint32_t kernel)
        : library_(library), plan_(*library.plans()->Get(0)), kernel_(kernel) {
        add(*plan_.load());
        add(*plan_.steps());
    }

    const std::vector<Handed> &handed() const { return handed_; }

private:
    void add(const flatbuffers::Vector<flatbuffers::Offset<fbs::Step>> &steps) {
        for (const fbs::Step *step : steps) {
            const fbs::Launch *launch = step->action_as_Launch();
            if (launch && launch->kernel() == kernel_) {
                add(*launch);
            }
        }
    }

    void add(const fbs::Launch &launch) {
        std::vector<Handed> now;
        for (uint32_t i = 0; i < launch.args()->size(); i++) {
            now.push_back(handed(*launch.args()->Get(i)));
            now.back().is_output = i + launch.outputs() >= launch.args()->size();
        }
        if (is_first_) {
            handed_ = now;
        }
        is_first_ = false;
        handed_.resize(std::min(handed_.size(), now.size()));
        for (size_t i = 0; i < handed_.size(); i++) {
            handed_[i] = handed_[i] == now[i] ? now[i] : Handed{};
        }
    }

    Handed handed(const fbs::Argument &arg) const {
        if (arg.scalar()) {
            const fbs::Port &port = *library_.ports()->Get(arg.id());
            return {Handed::As::Scalar, runtime::bytes_of(port.elem())};
        }
        const uint32_t storage = plan_.replicas()->Get(arg.id())->storage();
        const bool has_memory = plan_.storages()->Get(storage)->kind() != fbs::StorageKind::None;
        return {has_memory ? Handed::As::Buffer : Handed::As::Shape};
    }

    const fbs::Library &library_;
    const fbs::Plan &plan_;
    uint32_t kernel_;
    bool is_first_ = true;
    std::vector<Handed> handed_;
};

const fbs::Library *library_in_use = nullptr;

/// Calls `visit` with each byte of each element of a buffer.
template<typename Visit>
void for_each_byte(const halide_buffer_t &buffer, const Visit &visit) {
    const size_t count = buffer.number_of_elements();
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        int64_t offset = 0;
        for (int d = 0; d < buffer.dimensions; d++) {
            const auto extent = static_cast<size_t>(buffer.dim[d].extent);
            offset += static_cast<int64_t>(rest % extent) * buffer.dim[d].stride;
            rest /= extent;
        }
        for (int b = 0; b < buffer.type.bytes(); b++) {
            visit(buffer.host[offset * buffer.type.bytes() + b]);
        }
    }
}

/// Reads all that it is handed, then writes its outputs: as far as their shapes say.
int run_kernel(uint32_t kernel, void *user_context, void **args) {
    const Launches launches(*library_in_use, kernel);
    const std::vector<Handed> &handed = launches.handed();
    uint64_t hash = kernel + 1;
    const auto mix = [&](uint8_t byte) { hash = (hash ^ byte) * 0x100000001b3; };
    for (size_t i = 0; i < handed.size(); i++) {
        if (handed[i].as == Handed::As::Buffer) {
            for_each_byte(*static_cast<halide_buffer_t *>(args[i]), mix);
        } else if (handed[i].as == Handed::As::Scalar) {
            const auto *bytes = static_cast<const uint8_t *>(args[i]);
            std::for_each(bytes, bytes + handed[i].bytes, mix);
        }
    }
    const auto write = [&](uint8_t &byte) {
        mix(1);
        byte = static_cast<uint8_t>(hash >> 32);
    };
    const halyard_lane *lane = halyard_get_lane(user_context);
    if (lane && lane->device_workspace) {
        for_each_byte(*lane->device_workspace, write);
    }
    for (size_t i = 0; i < handed.size(); i++) {
        if (handed[i].as == Handed::As::Buffer && handed[i].is_output) {
            for_each_byte(*static_cast<halide_buffer_t *>(args[i]), write);
        }
    }
    return 0;
}

template<size_t kernel>
int run_slot(void *user_context, void **args) {
    return run_kernel(kernel, user_context, args);
}

template<size_t... kernel>
std::array<void *, sizeof...(kernel)> make_functions(std::index_sequence<kernel...>) {
    return {reinterpret_cast<void *>(run_slot<kernel>)...};
}

/// A caller's buffer as a port promises it, with memory for that and no byte more.
class PromisedBuffer {
public:
    explicit PromisedBuffer(const fbs::Port &port) {
        const uint64_t bytes = runtime::span_of(port.box(), port.strides()) *
                               static_cast<uint64_t>(runtime::bytes_of(port.elem()));
        for (uint32_t d = 0; d < port.box()->size(); d++) {
            const fbs::Dim &dim = *port.box()->Get(d);
            // One that is too large is refused: nobody has it.
            dimensions_.emplace_back(static_cast<int32_t>(dim.min()),
                                     bytes > most_bytes ? 1 : static_cast<int32_t>(dim.extent()),
                                     static_cast<int32_t>(port.strides()->Get(d)));
        }
        memory_.reset(new uint8_t[bytes > most_bytes ? sizeof(uint64_t) : bytes]());
        buffer_.host = memory_.get();
        buffer_.type = runtime::halide_type_of(port.elem());
        buffer_.dimensions = static_cast<int32_t>(dimensions_.size());
        buffer_.dim = dimensions_.data();
        const auto *interface = runtime::sim_interface(port.index());
        if (port.kind()->str() == "sim" && bytes <= most_bytes && interface) {
            buffer_.set_host_dirty();
            REQUIRE(interface->copy_to_device(nullptr, &buffer_, interface) == 0);
        }
    }
    ~PromisedBuffer() {
        if (buffer_.device_interface) {
            CHECK(buffer_.device_interface->device_free(nullptr, &buffer_) == 0);
        }
    }
    PromisedBuffer(const PromisedBuffer &) = delete;
    PromisedBuffer &operator=(const PromisedBuffer &) = delete;

    halide_buffer_t *get() { return &buffer_; }

private:
    std::vector<halide_dimension_t> dimensions_;
    std::unique_ptr<uint8_t[]> memory_;
    halide_buffer_t buffer_{};
};

/// Two calls of a library in an instance of its own; whether both worked.
bool call_twice(const halide_buffer_t *plans, const fbs::Library &library) {
    static const auto kernels = make_functions(std::make_index_sequence<most_kernels>());
    REQUIRE(library.plans()->Get(0)->kernels()->size() <= most_kernels);
    library_in_use = &library;
    std::vector<std::unique_ptr<PromisedBuffer>> owners;
    std::vector<halide_buffer_t *> buffers;
    std::vector<std::unique_ptr<uint64_t>> numbers;
    std::vector<void *> scalars;
    for (const fbs::Port *port : *library.ports()) {
        if (port->scalar()) {
            scalars.push_back(numbers.emplace_back(std::make_unique<uint64_t>(3)).get());
        } else {
            buffers.push_back(owners.emplace_back(std::make_unique<PromisedBuffer>(*port))->get());
        }
    }
    TestInstance instance;
    const auto call = [&] {
        return halyard_call(instance, plans, kernels.data(), buffers.data(), scalars.data());
    };
    const bool works = call() == 0;
    return call() == 0 && works;
}

struct Counts {
    size_t refused = 0, failed = 0, ran = 0;
};

void try_change(TestLibrary &library, size_t at, uint8_t change, Counts &counts) {
    uint8_t &byte = library.blob()[at];
    byte ^= change;
    seal(library.blob());
    runtime::Blob blob;
    INFO("byte " << at << " ^ " << int{change});
    if (runtime::open_blob(library.plans(), blob) != 0) {
        counts.refused++;
    } else if (call_twice(library.plans(), *blob.library)) {
        counts.ran++;
    } else {
        counts.failed++;
    }
    byte ^= change;
}

}  // namespace

TEST_CASE("a resealed blob with any byte changed is refused, or stays inside its memory") {
    TestLibrary library = make_library();
    Counts whole;
    try_change(library, 32, 0, whole);
    REQUIRE(whole.ran == 1);

    const bool is_all = wants_all();
    const char *wanted = std::getenv("HALYARD_SEED");
    const uint64_t seed = wanted ? std::strtoull(wanted, nullptr, 10) : 1;
    std::mt19937_64 engine(seed);
    Counts counts;
    for (size_t at = 0; at < library.blob().size(); at++) {
        constexpr size_t changes = 9;
        const size_t chosen = engine() % changes;
        for (size_t i = 0; i < changes; i++) {
            const auto change = static_cast<uint8_t>(i < 8 ? 1u << i : 0xff);
            if ((is_all || i == chosen) && (at < 24 || at >= 32)) {
                try_change(library, at, change, counts);
            }
        }
    }
    std::cout << "HALYARD_SEED=" << seed << ": " << library.blob().size() << " bytes, "
              << counts.refused << " changes refused, " << counts.failed << " fail at the call, "
              << counts.ran << " run\n";
    CHECK(counts.refused > counts.ran);
    CHECK(counts.ran > 0);
    CHECK(runtime::sim::outstanding() == 0);
}
