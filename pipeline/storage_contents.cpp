#include "pipeline/storage_contents.h"

#include <algorithm>
#include <iterator>

namespace halyard::pipeline {
namespace {

uint64_t end_of(const Run &run, uint32_t element_bytes) {
    return run.byte + run.count * (element_bytes + run.gap) - run.gap;
}

/// The part of a run that starts in a piece of memory; none if all of the piece is a gap.
struct Part {
    uint64_t first = 0, last = 0;  ///< of the run's elements
    uint64_t byte = 0;             ///< of the first one
    bool is_torn = false;          ///< an element reaches into the piece from before it
};

std::optional<Part> part_in(const Run &run, uint32_t bytes, uint64_t begin, uint64_t end) {
    const uint64_t pitch = bytes + run.gap, before = begin - run.byte;
    const bool is_torn = before % pitch != 0 && before % pitch < bytes;
    const uint64_t first = (before + pitch - 1) / pitch;
    const uint64_t byte = run.byte + first * pitch;
    if (byte >= end && !is_torn) return {};
    const uint64_t last = std::min(run.count, (end - 1 - run.byte) / pitch + 1) - 1;
    return Part{.first = first, .last = last, .byte = byte, .is_torn = is_torn};
}

std::string text_of(StepId step) {
    return "step " + std::to_string(index_of(step));
}

}  // namespace

StorageContents::StorageContents(uint64_t bytes) {
    if (bytes != 0) pieces_[0] = {.end = bytes};
}

/// Makes a piece start at this byte.
void StorageContents::cut(uint64_t at) {
    const auto next = pieces_.upper_bound(at);
    if (next == pieces_.begin()) return;
    const auto piece = std::prev(next);
    const uint64_t before = at - piece->first;
    if (before == 0 || piece->second.end <= at) return;
    Piece rest = piece->second;
    if (rest.origin) {
        Origin &origin = *rest.origin;
        origin.element += static_cast<int64_t>(before / origin.element_bytes) * origin.step;
        if (before % origin.element_bytes != 0) rest.origin.reset();  // inside an element
    }
    piece->second.end = at;
    pieces_.emplace_hint(next, at, std::move(rest));
}

/// The pieces that make up these bytes exactly.
std::pair<StorageContents::Pieces::iterator, StorageContents::Pieces::iterator>
StorageContents::pieces_of(uint64_t begin, uint64_t end) {
    cut(begin);
    cut(end);
    return {pieces_.lower_bound(begin), pieces_.lower_bound(end)};
}

void StorageContents::put(const Elements &elements) {
    for (const Run &run : elements.runs) {
        const uint64_t end = end_of(run, elements.element_bytes);
        const auto [first, last] = pieces_of(run.byte, end);
        pieces_.erase(first, last);
        pieces_[run.byte] = {
            .end = end,
            .origin = Origin{elements.root, elements.element_bytes, run.element, run.step}};
    }
}

bool StorageContents::holds(const Elements &elements, const Run &run) {
    const uint32_t bytes = elements.element_bytes;
    const auto [first, last] = pieces_of(run.byte, end_of(run, bytes));
    return std::all_of(first, last, [&](const auto &entry) {
        const auto &[begin, piece] = entry;
        const auto part = part_in(run, bytes, begin, piece.end);
        if (!part) return true;
        const auto &origin = piece.origin;
        if (!origin || origin->root != elements.root || origin->element_bytes != bytes)
            return false;
        if (part->is_torn || (part->byte - begin) % bytes != 0) return false;
        const auto index = static_cast<int64_t>((part->byte - begin) / bytes);
        const int64_t wanted = run.element + static_cast<int64_t>(part->first) * run.step;
        if (origin->element + index * origin->step != wanted) return false;
        const auto apart = static_cast<int64_t>((bytes + run.gap) / bytes);
        return part->first == part->last || origin->step * apart == run.step;
    });
}

bool StorageContents::holds(const Elements &elements) {
    return std::ranges::all_of(elements.runs, [&](const Run &run) { return holds(elements, run); });
}

bool StorageContents::holds_all_of(const StorageContents &other) {
    return std::ranges::all_of(other.pieces_, [&](const auto &entry) {
        const auto &[begin, piece] = entry;
        if (!piece.origin) return true;
        const Origin &origin = *piece.origin;
        const Run run{.byte = begin,
                      .count = (piece.end - begin) / origin.element_bytes,
                      .element = origin.element,
                      .step = origin.step};
        return holds({.root = origin.root, .element_bytes = origin.element_bytes, .runs = {}}, run);
    });
}

/// Whoever wrote what the run shows must be before the step.
StorageContents::Wrong StorageContents::unordered(const StepOrder &order, StepId step,
                                                  const Elements &elements, const Run &run) {
    const auto [first, last] = pieces_of(run.byte, end_of(run, elements.element_bytes));
    for (auto piece = first; piece != last; ++piece) {
        const auto &[begin, there] = *piece;
        if (!part_in(run, elements.element_bytes, begin, there.end)) continue;
        const std::optional<StepId> &writer = there.writer;
        if (writer && !order.before(*writer, step)) {
            return "is not ordered behind " + text_of(*writer) + ", which writes it";
        }
    }
    return {};
}

StorageContents::Wrong StorageContents::take(const StepOrder &order, StepId step,
                                             const Elements &elements) {
    for (const Run &run : elements.runs) {
        if (!holds(elements, run)) return "finds something else there";
        if (auto wrong = unordered(order, step, elements, run)) return wrong;
    }
    return {};
}

StorageContents::Wrong StorageContents::read(const StepOrder &order, StepId step,
                                             const Elements &elements) {
    if (auto wrong = take(order, step, elements)) return wrong;
    const QueueId queue = order.queue_of(step);
    for (const Run &run : elements.runs) {
        const auto [first, last] = pieces_of(run.byte, end_of(run, elements.element_bytes));
        for (auto piece = first; piece != last; ++piece) {
            const auto &[begin, there] = *piece;
            if (!part_in(run, elements.element_bytes, begin, there.end)) continue;
            auto &readers = piece->second.readers;
            const auto mine = std::ranges::find(readers, queue, &std::pair<QueueId, StepId>::first);
            if (mine == readers.end()) {
                readers.emplace_back(queue, step);
            } else {
                mine->second = step;
            }
        }
    }
    return {};
}

/// Writes in any case, so that one fault does not bring others.
StorageContents::Wrong StorageContents::replace(const StepOrder &order, StepId step, uint64_t begin,
                                                Piece by) {
    Wrong wrong;
    const auto [first, last] = pieces_of(begin, by.end);
    for (auto piece = first; piece != last; ++piece) {
        const Piece &old = piece->second;
        if (old.writer && !order.before(*old.writer, step)) {
            wrong = "is not ordered behind " + text_of(*old.writer) + ", which writes there too";
        }
        for (const auto &[queue, reader] : old.readers) {
            if (order.before(reader, step)) continue;
            wrong = "is not ordered behind " + text_of(reader) + ", which reads what was there";
        }
    }
    by.writer = step;
    pieces_.erase(first, last);
    pieces_[begin] = std::move(by);
    return wrong;
}

StorageContents::Wrong StorageContents::write(const StepOrder &order, StepId step,
                                              const Elements &elements) {
    Wrong wrong;
    for (const Run &run : elements.runs) {
        const Piece piece{
            .end = end_of(run, elements.element_bytes),
            .origin = Origin{elements.root, elements.element_bytes, run.element, run.step}};
        const Wrong of_run = replace(order, step, run.byte, piece);
        if (!wrong) wrong = of_run;
    }
    return wrong;
}

StorageContents::Wrong StorageContents::spoil(const StepOrder &order, StepId step) {
    if (pieces_.empty()) return {};
    return replace(order, step, 0, {.end = pieces_.rbegin()->second.end});
}

void StorageContents::forget(const std::vector<bool> &roots) {
    for (auto &[begin, piece] : pieces_) {
        if (piece.origin && roots[index_of(piece.origin->root)]) piece.origin.reset();
    }
}

void StorageContents::settle() {
    for (auto &[begin, piece] : pieces_) {
        piece.writer.reset();
        piece.readers.clear();
    }
}

}  // namespace halyard::pipeline
