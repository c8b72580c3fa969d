#pragma once

#include <map>
#include <optional>
#include <vector>

#include "pipeline/memory_map.h"
#include "pipeline/reads.h"

namespace halyard::pipeline {

/// The memory of states that kernels take `inplace`: one slot, in which a kernel's output is laid
/// over what was there. Knows which bytes still hold which value.
class SlotMemory {
public:
    SlotMemory(const Graph &graph, const Views &views, const std::vector<Read> &reads);

    /// The state whose slot `value` becomes part of; none if it does not.
    std::optional<uint32_t> state_of(ValueId value) const;

    /// Where the state's value lies: all of its slot.
    void put_state(ValueId value, const Presence &slot);

    /// Where an `inplace` argument lies in the slot, and so its output. None if the slot does not
    /// show it.
    std::optional<Presence> place(ValueId value) const;

    /// Whether the bytes of `value` in the slot still hold it.
    bool is_intact(ValueId value) const;

    /// A value that is overwritten, and all that kernels still read of it.
    struct Loss {
        ValueId value{};  ///< a root
        Presence place;
        Box box;
    };
    /// What kernels from `node` on miss when `output` is laid down at `place`; told once for each
    /// value. The argument that `output` replaces is no such reader.
    std::vector<Loss> save(uint32_t node, ValueId arg, ValueId output, const Presence &place);

    /// From now on `output` lies at `place`.
    void lay(ValueId output, const Presence &place);

private:
    struct Bytes {
        uint64_t begin = 0, end = 0;
        bool overlaps(const Bytes &other) const { return begin < other.end && other.begin < end; }
    };
    struct Member {
        Presence place;
        std::vector<Bytes> lost = {};
        bool is_saved = false;
    };

    bool takes(const Read &read, ValueId arg) const;
    bool is_apart(const Read &read, const Bytes &bytes) const;
    Bytes bytes_of(ValueId value, const Geometry &geometry) const;
    std::optional<Presence> shown(ValueId value, Box box) const;

    const Graph &graph_;
    const Views &views_;
    std::vector<int> state_;                      ///< by value
    std::map<ValueId, Member> members_;           ///< by root
    std::map<ValueId, std::vector<Read>> reads_;  ///< by root: of kernels in the state's space
};

}  // namespace halyard::pipeline
