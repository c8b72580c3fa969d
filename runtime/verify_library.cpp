#include "runtime/verify_library.h"

#include "runtime/error.h"
#include "runtime/verify_box.h"
#include "runtime/verify_memory.h"
#include "runtime/verify_steps.h"

namespace halyard::runtime {

namespace {

void verify_port(const fbs::Port &port) {
    const char *name = port.name()->c_str();
    require(in_range(port.elem(), fbs::Elem::MAX), "port '%s' has an unknown type", name);
    require(port.index() < 64, "port '%s' is on a device out of range", name);
    require(!(port.scalar() && port.output()), "port '%s' is a scalar and an output", name);
    if (!port.scalar()) {
        verify_strides(port.box(), port.strides(), "port", name);
        verify_apart(port.box(), port.strides(), "port", name);
    }
}

/// Callers hand in inputs, then outputs.
void verify_ports(const fbs::Library &library) {
    bool had_output = false;
    for (const fbs::Port *port : *library.ports()) {
        verify_port(*port);
        require(port->output() || !had_output, "input '%s' stands behind an output",
                port->name()->c_str());
        had_output = port->output();
    }
}

}  // namespace

int verify_library(const fbs::Library &library, uint64_t data_bytes) {
    try {
        require(library.plans()->size() > 0, "it has no plan");
        verify_ports(library);
        for (const fbs::Plan *plan : *library.plans()) {
            verify_memory(library, *plan, data_bytes);
            verify_steps(library, *plan);
        }
        return 0;
    } catch (const Fault &fault) {
        return set_error(halide_error_code_internal_error, "the plan of '%s' is damaged: %s",
                         library.name()->c_str(), fault.what());
    }
}

}  // namespace halyard::runtime
