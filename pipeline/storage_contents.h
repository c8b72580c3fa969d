#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/element_runs.h"
#include "pipeline/step_order.h"

namespace halyard::pipeline {

/// What the bytes of one storage hold while the steps of a list are gone through in list order, and
/// who touched them last. A touch that can go wrong gives the words of what is wrong.
class StorageContents {
public:
    using Wrong = std::optional<std::string>;

    explicit StorageContents(uint64_t bytes);

    /// Elements that are there before the first step.
    void put(const Elements &elements);

    /// The step reads these elements: they are there, and their writer is before it.
    Wrong read(const StepOrder &order, StepId step, const Elements &elements);

    /// As read(), for an `inplace` argument: the same step may write over it.
    Wrong take(const StepOrder &order, StepId step, const Elements &elements);

    /// The step writes these elements, after all who touched what was there.
    Wrong write(const StepOrder &order, StepId step, const Elements &elements);

    /// The step leaves nothing of use in the storage.
    Wrong spoil(const StepOrder &order, StepId step);

    /// Whether these elements are there, once all steps are done.
    bool holds(const Elements &elements);

    /// Whether all that is of use in the other storage is here in the same bytes.
    bool holds_all_of(const StorageContents &other);

    /// What it holds of these values, told by value, is of no more use.
    void forget(const std::vector<bool> &roots);

    /// All who touched the storage are done.
    void settle();

private:
    struct Origin {
        ValueId root{};
        uint32_t element_bytes = 0;
        int64_t element = 0, step = 0;  ///< as in Run, at the piece's start
    };
    struct Piece {
        uint64_t end = 0;
        std::optional<Origin> origin = {};  ///< none: nothing of use
        std::optional<StepId> writer = {};
        std::vector<std::pair<QueueId, StepId>> readers = {};  ///< the last one of each queue
    };
    using Pieces = std::map<uint64_t, Piece>;  ///< by first byte; no gaps

    void cut(uint64_t at);
    std::pair<Pieces::iterator, Pieces::iterator> pieces_of(uint64_t begin, uint64_t end);
    bool holds(const Elements &elements, const Run &run);
    Wrong unordered(const StepOrder &order, StepId step, const Elements &elements, const Run &run);
    Wrong replace(const StepOrder &order, StepId step, uint64_t begin, Piece by);

    Pieces pieces_;
};

}  // namespace halyard::pipeline
