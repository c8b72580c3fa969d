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
    const auto inner = choice.kernels.find(func.name());
    const bool is_inner = inner != choice.kernels.end() && !inner->second.empty();
    const std::string &kernel = is_inner ? *inner->second.begin() : func.name();
    const auto makes = [&](const ValueFunc &value) { return value.func.name() == kernel; };
    const auto value = std::ranges::find_if(choice.values, makes);
    const bool is_known = value != choice.values.end();
    return position_of(source, func, is_known ? value->delegate : std::nullopt);
}

}  // namespace halyard::generators
