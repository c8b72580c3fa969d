#include "dsl/port.h"

#include "dsl/error.h"

namespace halyard {

void set_bounds_at(Halide::Parameter parameter, const std::string &port, const Bounds &bounds,
                   const SourcePos &pos) {
    if (bounds.size() != static_cast<size_t>(parameter.dimensions())) {
        fail_at(pos, "the port '" + port + "' has " + std::to_string(parameter.dimensions()) +
                         " dimensions, but bounds() gives " + std::to_string(bounds.size()) +
                         ": give min and extent of each");
    }
    for (size_t d = 0; d < bounds.size(); ++d) {
        parameter.set_min_constraint(static_cast<int>(d), bounds[d].first);
        parameter.set_extent_constraint(static_cast<int>(d), bounds[d].second);
    }
}

}  // namespace halyard
