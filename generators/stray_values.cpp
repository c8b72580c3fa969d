#include "generators/stray_values.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace halyard::generators {
namespace {

using Devices = std::set<Device>;

/// Which devices have kernels, ports or states before and after each kernel of cpu, with nothing
/// but cpu between. A constant is everywhere from the start.
class Neighbours {
public:
    explicit Neighbours(const Graph &graph)
        : graph_(graph), before_(graph.nodes.size()), after_(graph.nodes.size()) {
        for (size_t n = 0; n < graph.nodes.size(); ++n) {
            for (const ValueId output : graph.nodes[n].outputs) maker_[output] = n;
        }
        const auto each_read = [&](size_t n, const auto &visit) {
            for (const Arg &arg : kernel(n).args) {
                const auto maker = maker_.find(arg.value);
                if (maker != maker_.end()) visit(maker->second);
            }
        };
        find_homes();
        for (size_t n = 0; n < graph.nodes.size(); ++n) {
            for (const Arg &arg : kernel(n).args) add_home(before_[n], sources_, arg.value);
            for (const ValueId output : graph.nodes[n].outputs) add_home(after_[n], sinks_, output);
            each_read(n, [&](size_t from) { add(before_[n], from, before_[from]); });
        }
        for (size_t n = graph.nodes.size(); n-- > 0;) {
            each_read(n, [&](size_t from) { add(after_[from], n, after_[n]); });
        }
    }

    Device device(size_t n) const { return std::get<Device>(place_of(graph_, kernel(n))); }

    /// A device on both sides, if any.
    std::optional<Device> around(size_t n) const {
        for (const Device &device : before_[n]) {
            if (after_[n].count(device) != 0) return device;
        }
        return std::nullopt;
    }

    const Kernel &kernel(size_t n) const { return std::get<Kernel>(graph_.nodes[n].op); }

private:
    /// Values that come from a device without a kernel, and those that go to one.
    void find_homes() {
        for (const Port &port : graph_.ports) sources_[port.value].insert(port.device);
        for (const Output &output : graph_.outputs) sinks_[output.value].insert(output.device);
        for (const State &state : graph_.states) {
            if (!state.device) continue;
            sources_[state.value].insert(*state.device);
            if (state.next) sinks_[*state.next].insert(*state.device);
        }
    }

    static void add_home(Devices &to, const std::map<ValueId, Devices> &homes, ValueId value) {
        const auto home = homes.find(value);
        if (home == homes.end()) return;
        for (const Device &device : home->second) {
            if (!device.is_host()) to.insert(device);
        }
    }

    void add(Devices &to, size_t neighbour, const Devices &beyond) const {
        if (device(neighbour).is_host()) {
            to.insert(beyond.begin(), beyond.end());
        } else {
            to.insert(device(neighbour));
        }
    }

    const Graph &graph_;
    std::map<ValueId, size_t> maker_;
    std::map<ValueId, Devices> sources_, sinks_;
    std::vector<Devices> before_, after_;
};

}  // namespace

std::string describe_strays(const Program &program) {
    const Graph &graph = program.graph;
    const Neighbours neighbours(graph);
    std::string text;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
        const bool is_listed = neighbours.kernel(n).delegate.has_value();
        const bool is_foreign = std::holds_alternative<ForeignCall>(program.code[n]);
        if (is_listed || is_foreign || !neighbours.device(n).is_host()) continue;
        const auto device = neighbours.around(n);
        if (!device) continue;
        text += graph.name + ": '" + neighbours.kernel(n).function +
                "' is in no delegate, so it is on cpu between values of " + to_string(*device) +
                ": list it in one\n";
    }
    return text;
}

}  // namespace halyard::generators
