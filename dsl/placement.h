#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Halide.h"
#include "dsl/device.h"
#include "dsl/graph.h"

namespace halyard {

class StateBase;
class ConstantBase;

/// A partition of a generator's Funcs that is placed on one device.
struct DelegateDirective {
    std::string name;
    std::vector<Halide::Func> funcs;
    std::optional<Device> device;  ///< none: cpu
    SourcePos pos;                 ///< of delegate()
    SourcePos device_pos;          ///< of on()
};

/// The space where the caller's buffer of a port lives.
struct PortDirective {
    std::string port;
    Device device;
    SourcePos pos;
};

/// All that a generator says about placement.
struct Directives {
    std::vector<DelegateDirective> delegates;
    std::vector<PortDirective> ports;
    std::map<std::string, SourcePos> pinned, pitched;  ///< ports by name
    std::optional<Strict> strict;
    std::vector<const StateBase *> states;        ///< in the order of their declaration
    std::vector<const ConstantBase *> constants;  ///< likewise
    std::map<std::string, SourcePos> declared;    ///< ports by name, where they are declared
    SourcePos pos;                                ///< of the generator's class
};

/// The half of halyard::Generator that is no template: what a generator may say beside plain
/// Halide.
class Placement {
public:
    /// What delegate() returns: says where the delegate runs.
    class DelegateRef {
    public:
        /// Places the delegate; without it, it is on cpu. Takes a GeneratorParam<std::string> too.
        /// Throws UserError for a bad device text, or if the delegate is placed already.
        void on(const std::string &device, const char *file = __builtin_FILE(),
                int line = __builtin_LINE());

    private:
        friend class Placement;
        DelegateRef(Placement &placement, size_t index) : placement_(placement), index_(index) {}

        Placement &placement_;
        size_t index_;
    };

    Placement(const Placement &) = delete;
    Placement &operator=(const Placement &) = delete;
    virtual ~Placement();

    /// Puts `funcs` together: their kernels are placed on one device.
    /// Throws UserError if the name is taken or is none, or a Func is undefined or in another
    /// delegate.
    DelegateRef delegate(const std::string &name, const std::vector<Halide::Func> &funcs,
                         const char *file = __builtin_FILE(), int line = __builtin_LINE());

    /// Whether the delegate that lists `func` is on cuda, opencl or sim, so that GPU schedules are
    /// right.
    bool on_gpu(const Halide::Func &func, const char *file = __builtin_FILE(),
                int line = __builtin_LINE()) const;

    /// Allows these transfers, "lit -> cuda:0", and no other: any other is an error when the plan
    /// is made. Throws UserError if it was called before.
    void strict(const std::vector<std::string> &transfers, const char *file = __builtin_FILE(),
                int line = __builtin_LINE());

    const Directives &directives() const { return directives_; }

    /// For the members of a generator: states, constants and ports tell their generator about
    /// themselves.
    void place_port(const std::string &port, const std::string &device, const SourcePos &pos);
    void pin_port(const std::string &port, const SourcePos &pos);
    void pitch_port(const std::string &port, const SourcePos &pos);
    static Placement &of_member(const void *member, const std::string &what, const SourcePos &pos);

    /// For a port, which may also be a plain Halide generator's: does nothing there.
    static void declare_port(const void *member, const std::string &port, const SourcePos &pos);
    void add(const StateBase *state) { directives_.states.push_back(state); }
    void add(const ConstantBase *constant) { directives_.constants.push_back(constant); }

protected:
    /// A generator whose members lie in [begin, begin + bytes), and whose class is at `pos`.
    Placement(const void *begin, size_t bytes, const SourcePos &pos);

private:
    /// The generator that holds a member, if any.
    static Placement *find_owner(const void *member);

    const char *begin_;
    size_t bytes_;
    Directives directives_;
};

/// Throws UserError unless the text form can print `name`, which the user gave to `subject`.
void check_name(const std::string &subject, const std::string &name, const SourcePos &pos);

/// Reads a device; the error starts with `pos`.
Device parse_device_at(const std::string &text, const SourcePos &pos);

/// How an error at this position starts: "file:line: ". Without a line the file's name stands for
/// the position, and without both there is none.
std::string prefix_of(const SourcePos &pos);

/// An error of what the user's generator says: "file:line: message".
[[noreturn]] void fail_at(const SourcePos &pos, const std::string &message);

/// The position of a directive's caller.
inline SourcePos caller_at(const char *file, int line) {
    return {.file = file, .line = line, .column = 0};
}

}  // namespace halyard
