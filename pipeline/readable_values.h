#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "pipeline/memory_map.h"
#include "pipeline/plan.h"
#include "pipeline/reads.h"

namespace halyard::pipeline {

/// Shows values to their readers where they lie, and copies inside a space what no replica can show
/// as it is.
class ReadableValues {
public:
    ReadableValues(Plan &plan, MemoryMap &memory, const Views &views,
                   const std::vector<Read> &reads);

    /// Where at least `box` of a value can be read, at an offset that is a multiple of `alignment`.
    /// Writes a local copy down if it takes one.
    Presence show(ValueId value, SpaceId space, const Box &box, uint64_t alignment = 1);

    /// Memory for `box` of a root that arrives in a space: dense, but for gaps that a reshape of a
    /// part needs.
    Geometry arriving(ValueId root, SpaceId space, const Box &box,
                      const std::vector<uint32_t> &order) const;

    /// Writes down a copy inside one space.
    void copy(std::vector<Step> &steps, ValueId value, const Presence &from, const Presence &to,
              const Box &box, const std::string &reason);

private:
    using ValueInSpace = std::pair<ValueId, SpaceId>;

    Presence copied(ValueId value, SpaceId space, const Presence &from, const std::string &reason);
    Presence reshaped(ValueId view, SpaceId space, const Presence &source, const Box &box);

    Plan &plan_;
    MemoryMap &memory_;
    const Views &views_;
    std::map<ValueInSpace, Box> needed_;  ///< what is read of a value there, through views too
    std::set<ValueInSpace> reshaped_;     ///< a part of the value is read there through a reshape
};

}  // namespace halyard::pipeline
