#include "generators/host_schedule.h"

#include <algorithm>
#include <functional>

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

using Change = std::function<void(Dim &)>;

void change_loops(Definition &definition, const Change &change) {
    for (Dim &dim : definition.schedule().dims()) change(dim);
    for (Specialization &special : definition.specializations()) {
        if (special.definition.defined()) change_loops(special.definition, change);
    }
}

void change_loops(std::map<std::string, Function> &funcs, const Change &change) {
    for (auto &[name, func] : funcs) {
        if (func.has_pure_definition()) change_loops(func.definition(), change);
        for (size_t n = 0; n < func.updates().size(); ++n) {
            change_loops(func.update(static_cast<int>(n)), change);
        }
        func.schedule().memory_type() = Halide::MemoryType::Auto;
    }
}

}  // namespace

void make_host(std::map<std::string, Function> &funcs) {
    change_loops(funcs, [](Dim &dim) {
        if (is_gpu(dim.for_type)) dim.for_type = ForType::Serial;
        dim.device_api = Halide::DeviceAPI::Host;
    });
}

void make_serial(std::map<std::string, Function> &funcs) {
    change_loops(funcs, [](Dim &dim) {
        dim.for_type = ForType::Serial;
        dim.device_api = Halide::DeviceAPI::Host;
    });
}

std::vector<Definition> definitions_of(const Function &func) {
    std::vector<Definition> definitions = {func.definition()};
    definitions.insert(definitions.end(), func.updates().begin(), func.updates().end());
    return definitions;
}

bool has_gpu_loop(const Definition &definition) {
    const auto is_gpu_dim = [](const Dim &dim) { return is_gpu(dim.for_type); };
    if (std::ranges::any_of(definition.schedule().dims(), is_gpu_dim)) return true;
    return std::ranges::any_of(definition.specializations(), [](const Specialization &special) {
        return special.definition.defined() && has_gpu_loop(special.definition);
    });
}

}  // namespace halyard::generators
