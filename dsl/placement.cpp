#include "dsl/placement.h"

#include <algorithm>
#include <mutex>

#include "dsl/error.h"
#include "dsl/given_name.h"
#include "dsl/text.h"

namespace halyard {
namespace {

/// The generators that live, so that their members find them while they are constructed.
struct LiveGenerators {
    std::mutex mutex;
    std::vector<Placement *> all;
};

LiveGenerators &live_generators() {
    static LiveGenerators live;
    return live;
}

bool lists(const DelegateDirective &delegate, const Halide::Func &func) {
    const auto is_func = [&](const Halide::Func &f) {
        return f.function().same_as(func.function());
    };
    return std::ranges::any_of(delegate.funcs, is_func);
}

}  // namespace

Placement::Placement(const void *begin, size_t bytes, const SourcePos &pos)
    : begin_(static_cast<const char *>(begin)), bytes_(bytes) {
    directives_.pos = pos;
    LiveGenerators &live = live_generators();
    const std::lock_guard lock(live.mutex);
    live.all.push_back(this);
}

Placement::~Placement() {
    LiveGenerators &live = live_generators();
    const std::lock_guard lock(live.mutex);
    std::erase(live.all, this);
}

Placement *Placement::find_owner(const void *member) {
    LiveGenerators &live = live_generators();
    const std::lock_guard lock(live.mutex);
    const auto *address = static_cast<const char *>(member);
    const auto holds = [&](const Placement *p) {
        return address >= p->begin_ && address < p->begin_ + p->bytes_;
    };
    const auto owner = std::ranges::find_if(live.all, holds);
    return owner == live.all.end() ? nullptr : *owner;
}

Placement &Placement::of_member(const void *member, const std::string &what, const SourcePos &pos) {
    Placement *owner = find_owner(member);
    if (!owner) fail_at(pos, what + " is not a member of a halyard::Generator: declare it as one");
    return *owner;
}

void Placement::declare_port(const void *member, const std::string &port, const SourcePos &pos) {
    if (Placement *owner = find_owner(member)) owner->directives_.declared.emplace(port, pos);
}

Placement::DelegateRef Placement::delegate(const std::string &name,
                                           const std::vector<Halide::Func> &funcs, const char *file,
                                           int line) {
    const SourcePos pos = caller_at(file, line);
    const std::string subject = "delegate '" + name + "'";
    check_name(subject, name, pos);
    if (funcs.empty()) fail_at(pos, subject + " lists no Func: list at least one");
    for (size_t n = 0; n < funcs.size(); ++n) {
        const Halide::Func &func = funcs[n];
        if (!func.defined()) {
            fail_at(pos, subject + " lists the Func '" + shown_name(func.name()) +
                             "', which has no definition: define it first");
        }
        const auto is_func = [&](const Halide::Func &f) {
            return f.function().same_as(func.function());
        };
        if (std::any_of(funcs.begin(), funcs.begin() + static_cast<std::ptrdiff_t>(n), is_func)) {
            fail_at(pos, subject + " lists the Func '" + shown_name(func.name()) +
                             "' twice: once is enough");
        }
        for (const DelegateDirective &other : directives_.delegates) {
            if (!lists(other, func)) continue;
            fail_at(pos, "the Func '" + shown_name(func.name()) + "' is in delegate '" +
                             other.name + "' (" + to_string(other.pos) + ") and in delegate '" +
                             name + "': list it in one");
        }
    }
    for (const DelegateDirective &other : directives_.delegates) {
        if (other.name != name) continue;
        fail_at(pos, subject + " is declared at " + to_string(other.pos) +
                         " already: give one of them another name");
    }
    directives_.delegates.push_back(
        {.name = name, .funcs = funcs, .device = {}, .pos = pos, .device_pos = {}});
    return {*this, directives_.delegates.size() - 1};
}

void Placement::DelegateRef::on(const std::string &device, const char *file, int line) {
    const SourcePos pos = caller_at(file, line);
    const Device parsed = parse_device_at(device, pos);
    DelegateDirective &delegate = placement_.directives_.delegates[index_];
    if (delegate.device) {
        fail_at(pos, "delegate '" + delegate.name + "' is placed on " + to_string(parsed) +
                         ", but it is on " + to_string(*delegate.device) + " (" +
                         to_string(delegate.device_pos) + ") already: place it once");
    }
    delegate.device = parsed;
    delegate.device_pos = pos;
}

bool Placement::on_gpu(const Halide::Func &func, const char *file, int line) const {
    for (const DelegateDirective &delegate : directives_.delegates) {
        if (lists(delegate, func)) return !delegate.device.value_or(Device{}).is_host();
    }
    fail_at(caller_at(file, line), "on_gpu() asks about the Func '" + shown_name(func.name()) +
                                       "', which no delegate lists: list it first");
}

void Placement::strict(const std::vector<std::string> &transfers, const char *file, int line) {
    const SourcePos pos = caller_at(file, line);
    if (directives_.strict) {
        fail_at(pos, "strict() was called before (" + to_string(directives_.strict->pos) +
                         "): give all transfers in one list");
    }
    directives_.strict.emplace().pos = pos;
    for (const std::string &transfer : transfers) {
        directives_.strict->entries.push_back({.transfer = transfer, .pos = pos});
    }
}

void Placement::pin_port(const std::string &port, const SourcePos &pos) {
    directives_.pinned.emplace(port, pos);
}

void Placement::pitch_port(const std::string &port, const SourcePos &pos) {
    directives_.pitched.emplace(port, pos);
}

void Placement::place_port(const std::string &port, const std::string &device,
                           const SourcePos &pos) {
    const Device parsed = parse_device_at(device, pos);
    for (const PortDirective &other : directives_.ports) {
        if (other.port != port) continue;
        fail_at(pos, "the port '" + port + "' is placed on " + to_string(parsed) +
                         ", but it is on " + to_string(other.device) + " (" + to_string(other.pos) +
                         ") already: place it once");
    }
    directives_.ports.push_back({.port = port, .device = parsed, .pos = pos});
}

void check_name(const std::string &subject, const std::string &name, const SourcePos &pos) {
    if (is_name(name)) return;
    fail_at(pos, subject + " has no proper name: expected a letter, then letters, digits or '_'");
}

Device parse_device_at(const std::string &text, const SourcePos &pos) {
    if (text == "auto") {
        fail_at(pos,
                "the place 'auto' is one that the planner would choose, which it does not do "
                "yet: name a device");
    }
    try {
        return parse_device(text);
    } catch (const UserError &error) {
        fail_at(pos, error.what());
    }
}

std::string prefix_of(const SourcePos &pos) {
    const std::string place = pos.line == 0 ? pos.file : to_string(pos);
    return place.empty() ? place : place + ": ";
}

void fail_at(const SourcePos &pos, const std::string &message) {
    throw UserError(prefix_of(pos) + message);
}

}  // namespace halyard
