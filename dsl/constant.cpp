#include "dsl/constant.h"

#include "dsl/error.h"

namespace halyard {

ConstantBase::ConstantBase(const std::string &name, int dimensions, Halide::Buffer<> data,
                           const SourcePos &pos)
    : name_(name), data_(std::move(data)), pos_(pos) {
    Placement::of_member(this, "the constant '" + name + "'", pos).add(this);
    check_name("the constant '" + name + "'", name, pos);
    if (!data_.defined()) fail_at(pos, "the constant '" + name + "' has no data");
    if (data_.dimensions() != dimensions) {
        fail_at(pos, "the constant '" + name + "' has " + std::to_string(dimensions) +
                         " dimensions, but its data has " + std::to_string(data_.dimensions()));
    }
    image_ = Halide::ImageParam(data_.type(), dimensions, name);
}

}  // namespace halyard
