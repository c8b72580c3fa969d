#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pipeline/pipeline.h"
#include "runtime/runtime.h"
#include "tests/interpreter.h"
#include "tests/runtime/kernel_table.h"
#include "tests/runtime/port_buffer.h"

namespace halyard::tests {

/// The one graph of a text; its `cuda` devices become `sim`.
Graph graph_on_sim(const std::string &text);

/// Random data for the constants of a graph, and for the initial arrays of its states.
Contents make_data(const Graph &graph, uint64_t seed);

/// A library as a program has it: plans in a blob, and a table of kernels.
class TestLibrary {
public:
    explicit TestLibrary(const std::vector<pipeline::Plan> &plans, const Contents &data = {});

    const pipeline::Plan &plan() const { return plans_[0]; }
    KernelTable &kernels(size_t plan = 0) { return *tables_[plan]; }
    std::vector<uint8_t> &blob() { return blob_; }
    const halide_buffer_t *plans() const { return &buffer_; }

    int call(void *user_context, const std::vector<halide_buffer_t *> &buffers,
             const std::vector<void *> &scalars = {}) const;

private:
    std::vector<pipeline::Plan> plans_;
    std::vector<uint8_t> blob_;
    halide_dimension_t dimension_;
    halide_buffer_t buffer_{};
    std::vector<std::unique_ptr<KernelTable>> tables_;
    std::vector<void *> functions_;
};

/// An instance that is destroyed with its owner.
class TestInstance {
public:
    TestInstance();
    ~TestInstance();
    TestInstance(const TestInstance &) = delete;
    TestInstance &operator=(const TestInstance &) = delete;

    operator halyard_instance *() const { return instance_; }
    halyard_counters counters() const;
    /// Gives what halyard_instance_destroy() gives.
    int destroy();

private:
    halyard_instance *instance_ = nullptr;
};

/// A graph, planned, that is called with random inputs, and its interpreter beside it.
class RunGraph {
public:
    RunGraph(Graph graph, bool peer, uint64_t seed = 1);
    explicit RunGraph(const pipeline::Plan &plan, uint64_t seed = 1);

    const pipeline::Plan &plan() const { return library_.plan(); }
    const Graph &graph() const { return graph_; }
    TestLibrary &library() { return library_; }
    TestInstance &instance() { return instance_; }
    Interpreter &interpreter() { return interpreter_; }
    PortBuffer &input(const std::string &name);
    PortBuffer &output(const std::string &name);
    std::vector<halide_buffer_t *> buffers();

    /// New random inputs, in buffers of the caller.
    void make_inputs();
    /// One call of the runtime with what make_inputs() made.
    int call();
    /// The same call of the interpreter; empty if outputs and states have the same bytes, else what
    /// differs.
    std::string compare();
    /// All three; empty, or what went wrong: an error's text, a difference, or counters that are
    /// not the plan's.
    std::string step();
    /// Whether one load was done, as planned.
    bool loaded_as_planned() const;

private:
    std::string compare_counters(const halyard_counters &before) const;

    Graph graph_;
    uint64_t random_;
    Contents data_;
    TestLibrary library_;
    TestInstance instance_;
    Interpreter interpreter_;
    Contents inputs_;
    std::vector<std::unique_ptr<PortBuffer>> input_buffers_;   ///< by port; null for scalars
    std::vector<std::unique_ptr<PortBuffer>> output_buffers_;  ///< by output
    std::vector<void *> scalars_;
};

}  // namespace halyard::tests
