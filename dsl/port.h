#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "Halide.h"
#include "dsl/placement.h"

namespace halyard {

/// Min and extent of each dimension.
using Bounds = std::vector<std::pair<int32_t, int32_t>>;

/// Puts bounds on a port's parameter, as set_bounds() does.
void set_bounds_at(Halide::Parameter parameter, const std::string &port, const Bounds &bounds,
                   const SourcePos &pos);

/// A port's name, and where the port is declared: the line of the class (of its constructor, where
/// it has one), since that is what g++ and clang give for a member with its initialiser in the
/// class.
struct PortName {
    PortName(const char *name, const char *file = __builtin_FILE(), int line = __builtin_LINE())
        : text(name), pos(caller_at(file, line)) {}
    PortName(const std::string &name, const char *file = __builtin_FILE(),
             int line = __builtin_LINE())
        : text(name), pos(caller_at(file, line)) {}

    std::string text;
    SourcePos pos;
};

/// What a port may say about the caller's buffer.
template<typename Port>
class PortDirectives {
public:
    /// It is on this device; without it, on cpu.
    void on(const std::string &device, const char *file = __builtin_FILE(),
            int line = __builtin_LINE()) {
        owner(file, line).place_port(port_name(), device, caller_at(file, line));
    }

    /// It is host memory that devices copy from or to without help of the host.
    void pinned(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        owner(file, line).pin_port(port_name(), caller_at(file, line));
    }

    /// Its rows may be apart, as far as it says when the pipeline is called; without it, it is
    /// dense.
    void pitched(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
        owner(file, line).pitch_port(port_name(), caller_at(file, line));
    }

private:
    const std::string &port_name() const { return static_cast<const Port *>(this)->name(); }
    Placement &owner(const char *file, int line) const {
        return Placement::of_member(this, "the port '" + port_name() + "'", caller_at(file, line));
    }
};

/// Halide's Input, which may also say where the caller's buffer lives.
template<typename T>
class GeneratorInput : public Halide::GeneratorInput<T>, public PortDirectives<GeneratorInput<T>> {
public:
    /// Takes what Halide's own takes.
    template<typename... Args>
    explicit GeneratorInput(const PortName &name, const Args &...args)
        : Halide::GeneratorInput<T>(name.text, args...) {
        Placement::declare_port(this, name.text, name.pos);
    }
    template<typename... Args>
    explicit GeneratorInput(size_t array_size, const PortName &name, const Args &...args)
        : Halide::GeneratorInput<T>(array_size, name.text, args...) {
        Placement::declare_port(this, name.text, name.pos);
    }

private:
    friend struct PortAccess;
    friend class PortDirectives<GeneratorInput>;
};

/// Halide's Output, which may also say where the caller's buffer lives.
template<typename T>
class GeneratorOutput : public Halide::GeneratorOutput<T>,
                        public PortDirectives<GeneratorOutput<T>> {
public:
    /// Takes what Halide's own takes.
    template<typename... Args>
    explicit GeneratorOutput(const PortName &name, const Args &...args)
        : Halide::GeneratorOutput<T>(name.text, args...) {
        Placement::declare_port(this, name.text, name.pos);
    }
    template<typename... Args>
    explicit GeneratorOutput(size_t array_size, const PortName &name, const Args &...args)
        : Halide::GeneratorOutput<T>(array_size, name.text, args...) {
        Placement::declare_port(this, name.text, name.pos);
    }

    /// For types in braces, which no template can take.
    explicit GeneratorOutput(const PortName &name, const std::vector<Halide::Type> &types)
        : Halide::GeneratorOutput<T>(name.text, types) {
        Placement::declare_port(this, name.text, name.pos);
    }
    explicit GeneratorOutput(const PortName &name, const std::vector<Halide::Type> &types,
                             int dimensions)
        : Halide::GeneratorOutput<T>(name.text, types, dimensions) {
        Placement::declare_port(this, name.text, name.pos);
    }

    using Halide::GeneratorOutput<T>::operator=;

private:
    friend struct PortAccess;
    friend class PortDirectives<GeneratorOutput>;
};

/// What bounds() needs of a port and Halide keeps to the port's own class.
struct PortAccess {
    template<typename T>
    static std::vector<Halide::Parameter> parameters(const GeneratorInput<T> &port) {
        port.check_gio_access();
        return port.parameters_;
    }
    template<typename T>
    static std::vector<Halide::Parameter> parameters(const GeneratorOutput<T> &port) {
        port.check_gio_access();
        // The parts of a Tuple have one box, and Halide takes that of the first.
        std::vector<Halide::Parameter> all;
        for (const Halide::Func &func : port.funcs()) {
            all.push_back(func.function().output_buffers()[0]);
        }
        return all;
    }
    template<typename Port>
    static const std::string &name(const Port &port) {
        return port.name();
    }
};

/// The box of an Input<Func> or Output<Func>, which have no set_bounds(): min and extent of each
/// dimension.
template<template<typename> class Port, typename T>
void bounds(const Port<T> &port, const Bounds &bounds, const char *file = __builtin_FILE(),
            int line = __builtin_LINE()) {
    const std::string &name = PortAccess::name(port);
    for (const Halide::Parameter &parameter : PortAccess::parameters(port)) {
        set_bounds_at(parameter, name, bounds, caller_at(file, line));
    }
}

}  // namespace halyard
