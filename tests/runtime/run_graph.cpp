#include "tests/runtime/run_graph.h"

#include <algorithm>
#include <stdexcept>

#include "dsl/text.h"
#include "pipeline/plan_blob.h"

namespace halyard::tests {

namespace {

std::vector<uint8_t> random_bytes(uint64_t &random, size_t count) {
    std::vector<uint8_t> bytes(count);
    for (uint8_t &byte : bytes) {
        random = random * 6364136223846793005 + 1442695040888963407;
        byte = static_cast<uint8_t>(random >> 56);
    }
    return bytes;
}

size_t bytes_of_value(const Value &value) {
    return bytes_of(value.elem) * (value.box ? elements_of(*value.box) : 1);
}

std::string first_difference(const std::string &what, const std::vector<uint8_t> &found,
                             const std::vector<uint8_t> &expected) {
    if (found == expected) {
        return {};
    }
    const auto at = std::mismatch(found.begin(), found.end(), expected.begin(), expected.end());
    return what + " differs from byte " + std::to_string(at.first - found.begin()) + " on\n";
}

}  // namespace

Graph graph_on_sim(const std::string &text) {
    std::string on_sim = text;
    for (size_t at = 0; (at = on_sim.find("cuda:", at)) != std::string::npos;) {
        on_sim.replace(at, 5, "sim:");
    }
    std::vector<Graph> graphs = parse(on_sim);
    if (graphs.size() != 1) {
        throw std::invalid_argument("not one pipeline");
    }
    return std::move(graphs[0]);
}

Contents make_data(const Graph &graph, uint64_t seed) {
    Contents data;
    const auto add = [&](ValueId id) {
        data[graph[id].name] = random_bytes(seed, bytes_of_value(graph[id]));
    };
    for (const Constant &constant : graph.constants) {
        add(constant.value);
    }
    for (const State &state : graph.states) {
        if (!state.file.empty()) {
            add(state.value);
        }
    }
    return data;
}

TestLibrary::TestLibrary(const std::vector<pipeline::Plan> &plans, const Contents &data)
    : plans_(plans), blob_(pipeline::write_plans(plans_, data)) {
    dimension_ = halide_dimension_t(0, static_cast<int32_t>(blob_.size()), 1);
    buffer_.host = blob_.data();
    buffer_.type = halide_type_t(halide_type_uint, 8);
    buffer_.dimensions = 1;
    buffer_.dim = &dimension_;
    for (const pipeline::Plan &plan : plans_) {
        tables_.push_back(std::make_unique<KernelTable>(plan));
        functions_.insert(functions_.end(), tables_.back()->data(),
                          tables_.back()->data() + plan.kernels.size());
    }
}

int TestLibrary::call(void *user_context, const std::vector<halide_buffer_t *> &buffers,
                      const std::vector<void *> &scalars) const {
    return halyard_call(user_context, &buffer_, functions_.data(), buffers.data(), scalars.data());
}

TestInstance::TestInstance() {
    if (halyard_instance_create(&instance_) != 0) {
        throw std::runtime_error(halyard_last_error());
    }
}

TestInstance::~TestInstance() {
    destroy();
}

int TestInstance::destroy() {
    halyard_instance *gone = std::exchange(instance_, nullptr);
    return halyard_instance_destroy(gone);
}

halyard_counters TestInstance::counters() const {
    halyard_counters counters{};
    halyard_read_counters(instance_, &counters);
    return counters;
}

RunGraph::RunGraph(Graph graph, bool peer, uint64_t seed)
    : RunGraph(pipeline::make_plan(std::move(graph), {.peer = peer, .dump = {}}), seed) {}

RunGraph::RunGraph(const pipeline::Plan &plan, uint64_t seed)
    : graph_(plan.graph),
      random_(seed),
      data_(make_data(graph_, seed)),
      library_({plan}, data_),
      interpreter_(graph_, data_) {
    for (const Port &port : graph_.ports) {
        const Value &value = graph_[port.value];
        input_buffers_.push_back(
            value.box ? std::make_unique<PortBuffer>(value, port.layout, port.device) : nullptr);
    }
    for (const Output &output : graph_.outputs) {
        output_buffers_.push_back(
            std::make_unique<PortBuffer>(graph_[output.value], output.layout, output.device));
    }
}

PortBuffer &RunGraph::input(const std::string &name) {
    for (size_t i = 0; i < graph_.ports.size(); i++) {
        if (graph_[graph_.ports[i].value].name == name) {
            return *input_buffers_[i];
        }
    }
    throw std::invalid_argument("no input " + name);
}

PortBuffer &RunGraph::output(const std::string &name) {
    for (size_t i = 0; i < graph_.outputs.size(); i++) {
        if (graph_.outputs[i].name == name) {
            return *output_buffers_[i];
        }
    }
    throw std::invalid_argument("no output " + name);
}

std::vector<halide_buffer_t *> RunGraph::buffers() {
    std::vector<halide_buffer_t *> all;
    for (const auto &list : {&input_buffers_, &output_buffers_}) {
        for (const auto &buffer : *list) {
            if (buffer) {
                all.push_back(buffer->get());
            }
        }
    }
    return all;
}

void RunGraph::make_inputs() {
    scalars_.clear();
    for (size_t i = 0; i < graph_.ports.size(); i++) {
        const Value &value = graph_[graph_.ports[i].value];
        std::vector<uint8_t> &bytes = inputs_[value.name];
        bytes = random_bytes(random_, bytes_of_value(value));
        if (input_buffers_[i]) {
            input_buffers_[i]->write(bytes);
        } else {
            scalars_.push_back(bytes.data());
        }
    }
}

int RunGraph::call() {
    return library_.call(instance_, buffers(), scalars_);
}

std::string RunGraph::compare() {
    const Contents expected = interpreter_.call(inputs_);
    std::string differences;
    for (size_t i = 0; i < graph_.outputs.size(); i++) {
        const std::string &name = graph_.outputs[i].name;
        differences +=
            first_difference("output " + name, output_buffers_[i]->read(), expected.at(name));
        if (!output_buffers_[i]->gaps_are_whole()) {
            differences += "output " + name + " was written between its rows\n";
        }
    }
    for (const State &state : graph_.states) {
        const std::string &name = graph_[state.value].name;
        std::vector<uint8_t> found(bytes_of_value(graph_[state.value]));
        const bool shared = name.find("::") != std::string::npos;
        const std::string full = shared ? name : graph_.name + "." + name;
        if (halyard_read_state(instance_, full.c_str(), found.data(), found.size()) != 0) {
            differences += halyard_last_error() + std::string("\n");
        }
        differences += first_difference("state " + name, found, interpreter_.state(name));
    }
    return differences;
}

std::string RunGraph::compare_counters(const halyard_counters &before) const {
    const halyard_counters after = instance_.counters();
    const pipeline::Counts &planned = plan().per_call;
    std::string differences;
    const auto expect = [&](const char *what, uint64_t found, uint64_t expected) {
        if (found != expected) {
            differences += std::string(what) + " is " + std::to_string(found) + ", but planned " +
                           std::to_string(expected) + "\n";
        }
    };
    const auto launches =
        std::count_if(plan().steps.begin(), plan().steps.end(), [](const pipeline::Step &step) {
            return std::holds_alternative<pipeline::Launch>(step.action);
        });
    expect("calls", after.calls - before.calls, 1);
    expect("uploads", after.uploads - before.uploads, planned.uploads);
    expect("downloads", after.downloads - before.downloads, planned.downloads);
    expect("peers", after.peers - before.peers, planned.peers);
    expect("locals", after.locals + after.skipped - before.locals - before.skipped, planned.locals);
    expect("payload", after.payload - before.payload, planned.payload);
    expect("copies", after.copies - before.copies, planned.copies);
    expect("staged", after.staged - before.staged, planned.staged);
    expect("launches", after.launches - before.launches, static_cast<uint64_t>(launches));
    return differences;
}

bool RunGraph::loaded_as_planned() const {
    const halyard_counters counters = instance_.counters();
    return counters.load_uploads == plan().at_load.uploads &&
           counters.load_payload == plan().at_load.payload &&
           counters.load_copies == plan().at_load.copies;
}

std::string RunGraph::step() {
    const halyard_counters before = instance_.counters();
    make_inputs();
    if (call() != 0) {
        return std::string(halyard_last_error()) + "\n";
    }
    return compare() + compare_counters(before);
}

}  // namespace halyard::tests
