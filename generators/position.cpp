#include "generators/position.h"

#include <algorithm>

namespace halyard::generators {

using Halide::Internal::Function;

SourcePos position_of(const Source &source, const Function &func, std::optional<size_t> delegate) {
    const auto &delegates = source.directives.delegates;
    const auto is_func = [&](const Halide::Func &listed) { return listed.name() == func.name(); };
    const auto lists = [&](const DelegateDirective &d) {
        return std::ranges::any_of(d.funcs, is_func);
    };
    const auto listing = std::ranges::find_if(delegates, lists);
    if (listing != delegates.end()) return listing->pos;
    return delegate ? delegates[*delegate].pos : source.pos;
}

SourcePos position_of(const Source &source, const Function &func, const ValueChoice &choice) {
    const auto is_func = [&](const Function &other) { return other.name() == func.name(); };
    const auto inner = choice.kernels_of.find(func.name());
    for (const KernelFuncs &kernel : choice.kernels) {
        const bool has_func = inner == choice.kernels_of.end()
                                  ? std::ranges::any_of(kernel.funcs, is_func)
                                  : inner->second.count(kernel.name()) != 0;
        if (has_func) return position_of(source, func, kernel.delegate);
    }
    return position_of(source, func);
}

}  // namespace halyard::generators
