#include "generators/choose_values.h"

#include <algorithm>

#include "dsl/error.h"
#include "dsl/given_name.h"
#include "dsl/state.h"
#include "generators/position.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

using Delegate = std::optional<size_t>;

std::string quoted(const std::string &func) {
    return "'" + shown_name(func) + "'";
}

class Chooser {
public:
    explicit Chooser(const Source &source) : source_(source) {
        read_delegates();
        force_values();
        for (const Function &func : source.funcs) {
            for (const Function &callee : callees_of(func)) {
                callers_[callee.name()].insert(func.name());
            }
        }
    }

    ValueChoice choose() {
        for (auto func = source_.funcs.rbegin(); func != source_.funcs.rend(); ++func) {
            decide(*func);
        }
        std::ranges::reverse(choice_.values);
        for (const SourceState &state : source_.states) {
            if (state.is_copied) place_copy(state);
        }
        return std::move(choice_);
    }

private:
    void read_delegates() {
        const auto &delegates = source_.directives.delegates;
        for (size_t d = 0; d < delegates.size(); ++d) {
            for (const Halide::Func &listed : delegates[d].funcs) {
                const std::string subject = "delegate '" + delegates[d].name + "'";
                const Function *func = source_.find(listed.name());
                if (!func) {
                    fail_at(delegates[d].pos, subject + " lists the Func " + quoted(listed.name()) +
                                                  ", which no output and no state needs");
                }
                if (parameter_of(*func).defined()) {
                    fail_at(delegates[d].pos, subject + " lists '" + parameter_of(*func).name() +
                                                  "', which no kernel makes: a port, state or "
                                                  "constant says on() for itself");
                }
                listed_[func->name()] = d;
            }
        }
    }

    /// Values whatever their readers are.
    void force_values() {
        for (const SourceOutput &output : source_.outputs) forced_.insert(output.func.name());
        for (const SourceState &state : source_.states) forced_.insert(state.next.name());
        for (const Function &func : source_.funcs) {
            if (func.schedule().compute_level().is_root()) forced_.insert(func.name());
            if (!func.has_extern_definition()) continue;
            forced_.insert(func.name());
            for (const Function &argument : callees_of(func)) forced_.insert(argument.name());
        }
    }

    void decide(const Function &func) {
        if (parameter_of(func).defined()) {
            inline_in_readers(func);
            return;
        }
        const std::set<Delegate> readers = delegates_of(kernels_that_read(func));
        const auto own = listed_.find(func.name());
        if (own != listed_.end()) {
            const bool read_elsewhere = readers != std::set<Delegate>{own->second};
            if (forced_.count(func.name()) != 0 || read_elsewhere) {
                add_value(func, own->second);
                return;
            }
        } else if (forced_.count(func.name()) != 0) {
            const bool follows = !func.has_extern_definition() && readers.size() == 1;
            add_value(func, follows ? *readers.begin() : Delegate());
            return;
        }
        inline_in_readers(func);
    }

    std::set<std::string> kernels_that_read(const Function &func) const {
        std::set<std::string> kernels;
        for (const std::string &caller : callers_of(func)) {
            const auto inner = choice_.kernels.find(caller);
            if (inner == choice_.kernels.end()) {
                kernels.insert(caller);
            } else {
                kernels.insert(inner->second.begin(), inner->second.end());
            }
        }
        return kernels;
    }

    std::set<Delegate> delegates_of(const std::set<std::string> &kernels) const {
        std::set<Delegate> delegates;
        for (const std::string &kernel : kernels) delegates.insert(delegate_.at(kernel));
        return delegates;
    }

    void add_value(const Function &func, Delegate delegate) {
        check_value_level(func, delegate);
        choice_.values.push_back({.func = func, .delegate = delegate, .device = {}});
        delegate_[func.name()] = delegate;
    }

    /// A copy that nobody listed is made where the state lives: where it is told to, else where it
    /// is read.
    void place_copy(const SourceState &state) {
        const auto is_copy = [&](const ValueFunc &v) { return v.func.same_as(state.next); };
        ValueFunc &copy = *std::ranges::find_if(choice_.values, is_copy);
        if (state.directive->device()) {
            copy.device = state.directive->device();
            return;
        }
        for (const Function &func : source_.funcs) {
            if (!parameter_of(func).same_as(state.directive->parameter())) continue;
            const std::set<Delegate> readers = delegates_of(kernels_that_read(func));
            if (readers.size() == 1) copy.delegate = *readers.begin();
        }
    }

    void inline_in_readers(const Function &func) {
        choice_.kernels[func.name()] = kernels_that_read(func);
        check_inner_level(func);
    }

    const std::set<std::string> &callers_of(const Function &func) const {
        static const std::set<std::string> none;
        const auto callers = callers_.find(func.name());
        return callers == callers_.end() ? none : callers->second;
    }

    /// The kernels that compute this Func.
    std::set<std::string> kernels_of(const std::string &func) const {
        const auto inner = choice_.kernels.find(func);
        return inner == choice_.kernels.end() ? std::set<std::string>{func} : inner->second;
    }

    /// The Func in whose loops the schedule puts this one, if any.
    const Function *host_of(const Function &func) const {
        const Halide::LoopLevel &level = func.schedule().compute_level();
        if (level.is_root() || level.is_inlined()) return nullptr;
        return source_.find(level.func());
    }

    /// A value can not be cut out of another delegate's loops.
    void check_value_level(const Function &func, Delegate delegate) const {
        const Function *host = host_of(func);
        if (!host || delegates_of(kernels_of(host->name())) == std::set<Delegate>{delegate}) return;
        const std::string name = quoted(func.name());
        fail_at(position_of(source_, func, delegate),
                "the Func " + name + " is computed at " + quoted(host->name()) +
                    ", which is in another delegate: list both in one, or schedule " + name +
                    " compute_root");
    }

    /// Each kernel that reads an inner Func must hold the loops in which it is computed.
    void check_inner_level(const Function &func) const {
        const Function *host = host_of(func);
        if (!host) return;
        const std::set<std::string> hosts = kernels_of(host->name());
        for (const std::string &kernel : choice_.kernels.at(func.name())) {
            if (hosts.count(kernel) != 0) continue;
            const std::string name = quoted(func.name());
            fail_at(position_of(source_, func, delegate_.at(kernel)),
                    "the Func " + name + " is computed at " + quoted(host->name()) +
                        ", but the kernel of " + quoted(kernel) + " reads it too: schedule " +
                        name + " compute_root");
        }
    }

    const Source &source_;
    std::map<std::string, size_t> listed_;
    std::set<std::string> forced_;
    std::map<std::string, std::set<std::string>> callers_;
    std::map<std::string, Delegate> delegate_;  ///< of the values found so far
    ValueChoice choice_;
};

}  // namespace

ValueChoice choose_values(const Source &source) {
    return Chooser(source).choose();
}

}  // namespace halyard::generators
