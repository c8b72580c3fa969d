#pragma once

#include <map>
#include <vector>

#include "dsl/graph.h"
#include "generators/draft.h"

namespace halyard::generators {

/// The boxes of a pipeline.
struct Boxes {
    std::vector<Box> of_value;                  ///< by ValueId; empty for scalars
    std::vector<std::map<ValueId, Box>> reads;  ///< of each kernel of the draft
};

/// Gives each value its box: what its readers need of it, enlarged where its schedule computes
/// more; a port keeps its own. A state's readers need its next value. Splits that are longer than
/// what they split become guarded ones in the draft's own schedules, so that nothing grows for
/// their sake. Throws UserError if nothing says how large a value is, a port would have to grow, or
/// a reader needs more than a port, constant or initial array has.
Boxes solve_boxes(const Draft &draft);

}  // namespace halyard::generators
