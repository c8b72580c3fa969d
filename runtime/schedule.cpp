#include "runtime/schedule.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "runtime/elem.h"

namespace halyard::runtime {

namespace {

class Scheduler {
public:
    Scheduler(const fbs::Library &library, const fbs::Plan &plan,
              const flatbuffers::Vector<flatbuffers::Offset<fbs::Step>> &steps,
              std::vector<ScheduledLane> &lanes)
        : library_(library), plan_(plan), steps_(steps), lanes_(lanes) {}

    Schedule make() {
        for (const fbs::Step *step : steps_) {
            ScheduledStep &made = schedule_.steps.emplace_back();
            made.queue = step->queue();
            add_waits(*step, made);
            switch (step->action_type()) {
                case fbs::Action::Launch:
                    made.action = launch(*step->action_as_Launch(), step->queue());
                    break;
                case fbs::Action::Copy:
                    made.action = copy(*step->action_as_Copy());
                    break;
                case fbs::Action::Fill:
                    made.action = fill(*step->action_as_Fill());
                    break;
                case fbs::Action::NONE:
                    break;
            }
        }
        return std::move(schedule_);
    }

private:
    /// What stands on the same queue, or on the host's, is done in time without an event.
    void add_waits(const fbs::Step &step, ScheduledStep &made) {
        for (uint32_t i = 0; step.waits() && i < step.waits()->size(); i++) {
            ScheduledStep &earlier = schedule_.steps[step.waits()->Get(i)];
            if (earlier.queue == step.queue() || earlier.queue == 0) {
                continue;
            }
            if (earlier.event == none) {
                earlier.event = static_cast<uint32_t>(schedule_.event_queues.size());
                schedule_.event_queues.push_back(earlier.queue);
            }
            made.waits.push_back(earlier.event);
        }
    }

    ScheduledLaunch launch(const fbs::Launch &launch, uint32_t queue) {
        const ScheduledLane lane{queue, launch.workspace()};
        auto found = std::find(lanes_.begin(), lanes_.end(), lane);
        if (found == lanes_.end()) {
            found = lanes_.insert(lanes_.end(), lane);
        }
        const auto first = static_cast<uint32_t>(schedule_.args.size());
        for (const fbs::Argument *arg : *launch.args()) {
            schedule_.args.push_back({arg->id(), arg->scalar()});
            schedule_.sizes.push_back(
                arg->scalar() ? bytes_of(library_.ports()->Get(arg->id())->elem()) : 0);
        }
        return {launch.kernel(), static_cast<uint32_t>(found - lanes_.begin()), first,
                launch.args()->size()};
    }

    ScheduledCopy copy(const fbs::Copy &copy) const {
        const fbs::Replica &from = *plan_.replicas()->Get(copy.from());
        const fbs::Replica &to = *plan_.replicas()->Get(copy.to());
        const uint32_t size = bytes_of(from.elem());
        ScheduledCopy made;
        made.copy = &copy;
        made.bytes = elements_of(copy.box()) * size;
        made.pitched = from.pitched() || to.pitched();
        std::array<CopyDimension, max_dimensions> dimensions;
        const uint32_t count = copy.box()->size();
        for (uint32_t d = 0; d < count; d++) {
            const fbs::Dim &part = *copy.box()->Get(d);
            dimensions[d] = {static_cast<uint64_t>(part.extent()),
                             static_cast<uint64_t>(from.strides()->Get(d)),
                             static_cast<uint64_t>(to.strides()->Get(d))};
            made.from += (part.min() - from.box()->Get(d)->min()) * dimensions[d].from * size;
            made.to += (part.min() - to.box()->Get(d)->min()) * dimensions[d].to * size;
        }
        made.shape = fold(size, std::span(dimensions).first(count));
        return made;
    }

    ScheduledFill fill(const fbs::Fill &fill) const {
        const fbs::Replica &to = *plan_.replicas()->Get(fill.to());
        ScheduledFill made;
        made.to = fill.to();
        made.element_bytes = bytes_of(to.elem());
        made.bytes = elements_of(to.box()) * made.element_bytes;
        encode(to.elem(), fill.value(), made.element);
        const bool is_whole = to.elem() == fbs::Elem::I64 || to.elem() == fbs::Elem::U64;
        if (const auto bits = fill.bits(); bits && is_whole) {
            memcpy(made.element, &*bits, sizeof(*bits));
        }
        return made;
    }

    const fbs::Library &library_;
    const fbs::Plan &plan_;
    const flatbuffers::Vector<flatbuffers::Offset<fbs::Step>> &steps_;
    std::vector<ScheduledLane> &lanes_;
    Schedule schedule_;
};

const char *name_of(fbs::CopyKind kind) {
    switch (kind) {
        case fbs::CopyKind::Upload:
            return "upload";
        case fbs::CopyKind::Download:
            return "download";
        case fbs::CopyKind::Peer:
            return "peer copy";
        case fbs::CopyKind::Local:
            return "local copy";
        case fbs::CopyKind::Stage:
            return "staging";
    }
    return "copy";
}

}  // namespace

Schedule make_schedule(const fbs::Library &library, const fbs::Plan &plan,
                       const flatbuffers::Vector<flatbuffers::Offset<fbs::Step>> &steps,
                       std::vector<ScheduledLane> &lanes) {
    return Scheduler(library, plan, steps, lanes).make();
}

StepText describe(const fbs::Plan &plan, const ScheduledStep &step) {
    StepText text;
    if (const auto *launch = std::get_if<ScheduledLaunch>(&step.action)) {
        snprintf(text.text, sizeof(text.text), "kernel '%s'",
                 plan.kernels()->Get(launch->kernel)->name()->c_str());
    } else if (const auto *copy = std::get_if<ScheduledCopy>(&step.action)) {
        snprintf(text.text, sizeof(text.text), "%s of '%s'", name_of(copy->copy->kind()),
                 plan.replicas()->Get(copy->copy->from())->value()->c_str());
    } else {
        const auto &fill = std::get<ScheduledFill>(step.action);
        snprintf(text.text, sizeof(text.text), "fill of '%s'",
                 plan.replicas()->Get(fill.to)->value()->c_str());
    }
    return text;
}

}  // namespace halyard::runtime
