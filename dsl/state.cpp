#include "dsl/state.h"

#include <sstream>

#include "dsl/error.h"
#include "dsl/given_name.h"

namespace halyard {
namespace {

std::string describe(Halide::Type type, int dimensions) {
    std::ostringstream text;
    text << type << " of " << dimensions << (dimensions == 1 ? " dimension" : " dimensions");
    return text.str();
}

}  // namespace

StateBase::StateBase(const std::string &name, Halide::Type type, int dimensions,
                     const Number &initial, Halide::Buffer<> initial_array, const SourcePos &pos)
    : image_(type, dimensions, name),
      name_(name),
      initial_(initial),
      initial_array_(std::move(initial_array)),
      pos_(pos) {
    Placement::of_member(this, "the state '" + name + "'", pos).add(this);
    check_name("the state '" + name + "'", name, pos);
    if (initial_array_.defined() && initial_array_.dimensions() != dimensions) {
        fail_at(pos, "the state '" + name + "' has " + std::to_string(dimensions) +
                         " dimensions, but its initial array has " +
                         std::to_string(initial_array_.dimensions()));
    }
}

void StateBase::next(const Halide::Func &func, const char *file, int line) {
    const SourcePos pos = caller_at(file, line);
    const std::string subject = "the state '" + name_ + "'";
    if (next_.defined()) {
        fail_at(pos, subject + " gets the next value '" + shown_name(func.name()) +
                         "', but it has '" + shown_name(next_.name()) + "' (" +
                         to_string(next_pos_) + ") already: give it one");
    }
    if (!func.defined()) {
        fail_at(pos, subject + " gets the next value '" + shown_name(func.name()) +
                         "', which has no definition: define it first");
    }
    const Halide::Type type = image_.type();
    const bool fits =
        func.outputs() == 1 && func.types()[0] == type && func.dimensions() == image_.dimensions();
    if (!fits) {
        const std::string found = func.outputs() == 1
                                      ? describe(func.types()[0], func.dimensions())
                                      : "a Tuple of " + std::to_string(func.outputs()) + " values";
        fail_at(pos, subject + " is " + describe(type, image_.dimensions()) +
                         ", but its next value '" + shown_name(func.name()) + "' is " + found);
    }
    next_ = func;
    next_pos_ = pos;
}

void StateBase::on(const std::string &device, const char *file, int line) {
    const SourcePos pos = caller_at(file, line);
    const Device parsed = parse_device_at(device, pos);
    if (device_) {
        fail_at(pos, "the state '" + name_ + "' is placed on " + to_string(parsed) +
                         ", but it is on " + to_string(*device_) + " (" + to_string(device_pos_) +
                         ") already: place it once");
    }
    device_ = parsed;
    device_pos_ = pos;
}

void StateBase::delay(uint32_t calls, const char *file, int line) {
    const SourcePos pos = caller_at(file, line);
    if (delay_) {
        fail_at(pos, "the state '" + name_ + "' has the delay " + std::to_string(calls) +
                         ", but it has " + std::to_string(*delay_) + " (" + to_string(delay_pos_) +
                         ") already: give it one");
    }
    delay_ = calls;
    delay_pos_ = pos;
}

}  // namespace halyard
