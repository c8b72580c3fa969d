#include "generators/choose_values.h"

#include <algorithm>

#include "dsl/error.h"
#include "dsl/given_name.h"
#include "dsl/state.h"
#include "generators/fused_groups.h"
#include "generators/position.h"

namespace halyard::generators {
namespace {

using namespace Halide::Internal;

using Delegate = std::optional<size_t>;
using Group = std::vector<Function>;

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
        std::vector<Group> groups = fused_groups(source_);
        std::ranges::reverse(groups);
        for (const Group &group : groups) decide(group);
        std::ranges::reverse(choice_.kernels);
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

    void decide(const Group &group) {
        if (parameter_of(group[0]).defined()) return inline_in_readers(group);
        const std::set<Delegate> readers = delegates_of(kernels_that_read(group));
        const Delegate own = listing_of(group);
        const bool is_forced = std::ranges::any_of(
            group, [&](const Function &func) { return forced_.count(func.name()) != 0; });
        if (own) {
            const bool read_elsewhere = readers != std::set<Delegate>{own};
            if (is_forced || read_elsewhere) return add_kernel(group, own);
        } else if (is_forced) {
            const bool follows = !group[0].has_extern_definition() && readers.size() == 1;
            return add_kernel(group, follows ? *readers.begin() : Delegate());
        }
        inline_in_readers(group);
    }

    /// The delegate that lists one of a group's Funcs, or several.
    Delegate listing_of(const Group &group) const {
        const Function *first = nullptr;
        for (const Function &func : group) {
            if (listed_.count(func.name()) == 0) continue;
            if (!first) first = &func;
            const size_t own = listed_.at(first->name()), other = listed_.at(func.name());
            if (own == other) continue;
            const auto &delegates = source_.directives.delegates;
            fail_at(delegates[other].pos,
                    "the Func " + quoted(func.name()) + " of delegate '" + delegates[other].name +
                        "' is computed with " + quoted(first->name()) + " of delegate '" +
                        delegates[own].name + "': list both in one, or leave compute_with() out");
        }
        return first ? Delegate(listed_.at(first->name())) : Delegate();
    }

    std::set<std::string> kernels_that_read(const Group &group) const {
        std::set<std::string> kernels;
        for (const Function &func : group) {
            const auto callers = callers_.find(func.name());
            if (callers == callers_.end()) continue;
            for (const std::string &caller : callers->second) kernels.merge(kernels_of(caller));
        }
        return kernels;
    }

    std::set<Delegate> delegates_of(const std::set<std::string> &kernels) const {
        std::set<Delegate> delegates;
        for (const std::string &kernel : kernels) delegates.insert(delegate_.at(kernel));
        return delegates;
    }

    void add_kernel(const Group &group, Delegate delegate) {
        choice_.kernels.push_back({.funcs = group, .delegate = delegate, .device = {}});
        const std::string &kernel = choice_.kernels.back().name();
        delegate_[kernel] = delegate;
        for (const Function &func : group) {
            check_value_level(func, delegate);
            kernel_of_[func.name()] = kernel;
        }
    }

    /// A copy that nobody listed is made where the state lives: where it is told to, else where it
    /// is read.
    void place_copy(const SourceState &state) {
        const auto is_copy = [&](const KernelFuncs &k) { return k.funcs[0].same_as(state.next); };
        KernelFuncs &copy = *std::ranges::find_if(choice_.kernels, is_copy);
        if (state.directive->device()) {
            copy.device = state.directive->device();
            return;
        }
        for (const Function &func : source_.funcs) {
            if (!parameter_of(func).same_as(state.directive->parameter())) continue;
            const std::set<Delegate> readers = delegates_of(kernels_that_read({func}));
            if (readers.size() == 1) copy.delegate = *readers.begin();
        }
    }

    void inline_in_readers(const Group &group) {
        for (const Function &func : group) {
            choice_.kernels_of[func.name()] = kernels_that_read({func});
            check_inner_level(func);
        }
    }

    /// The kernels that compute this Func; one of its own, as far as is known.
    std::set<std::string> kernels_of(const std::string &func) const {
        const auto inner = choice_.kernels_of.find(func);
        if (inner != choice_.kernels_of.end()) return inner->second;
        const auto kernel = kernel_of_.find(func);
        return {kernel == kernel_of_.end() ? func : kernel->second};
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
        for (const std::string &kernel : choice_.kernels_of.at(func.name())) {
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
    std::map<std::string, std::string> kernel_of_;  ///< of the values found so far
    std::map<std::string, Delegate> delegate_;      ///< of their kernels
    ValueChoice choice_;
};

}  // namespace

ValueChoice choose_values(const Source &source) {
    return Chooser(source).choose();
}

}  // namespace halyard::generators
