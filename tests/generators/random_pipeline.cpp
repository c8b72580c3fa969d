#include "tests/generators/random_pipeline.h"

#include <algorithm>

extern "C" int random_pipeline_turn(halide_buffer_t *in, int amount, halide_buffer_t *out) {
    if (in->is_bounds_query()) {
        in->dim[0].min = 0;
        in->dim[0].extent = 16;
    }
    if (in->is_bounds_query() || out->is_bounds_query()) return 0;
    const auto *from = reinterpret_cast<const int32_t *>(in->host);
    auto *to = reinterpret_cast<int32_t *>(out->host);
    for (int i = 0; i < out->dim[0].extent; ++i) {
        const int at = (out->dim[0].min + i) * 5 + amount;
        to[i * out->dim[0].stride] = from[(at % 16 - in->dim[0].min) * in->dim[0].stride] % 1021;
    }
    return 0;
}

namespace halyard::generators {

using Halide::cast;
using Halide::clamp;
using Halide::Expr;
using Halide::Func;
using Halide::RDom;
using Halide::TailStrategy;
using Halide::Tuple;
using Halide::Type;
using Halide::BoundaryConditions::repeat_edge;

namespace {

/// Back to where sums and products cannot overflow.
Expr small(Expr value) {
    return value & 1023;
}

}  // namespace

Func RandomPipeline::new_func(const std::string &kind) {
    return Func(kind + std::to_string(stored_.size()) + "_");
}

void RandomPipeline::add(Func func, bool is_real, size_t parts) {
    for (size_t part = 0; part < parts; ++part) images_.push_back({func, part, is_real});
    stored_.push_back({func});
}

Expr RandomPipeline::whole_at(Expr x, Expr y) {
    std::vector<Image> wholes;
    for (const Image &image : images_) {
        if (!image.is_real) wholes.push_back(image);
    }
    // Rather what was made late.
    const int back = std::min(draw(static_cast<int>(wholes.size())), draw(4));
    const Image &image = wholes[wholes.size() - 1 - static_cast<size_t>(back)];
    if (image.func.outputs() == 1) return small(cast<int32_t>(image.func(x, y)));
    return small(cast<int32_t>(image.func(x, y)[static_cast<int>(image.part)]));
}

Expr RandomPipeline::real_at(Expr x, Expr y) {
    std::vector<Image> all;
    for (const Image &image : images_) {
        if (image.is_real) all.push_back(image);
    }
    return cast<float>(all[static_cast<size_t>(draw(static_cast<int>(all.size())))].func(x, y));
}

void RandomPipeline::add_sources() {
    const auto inlined = [&](Func func, bool is_real) { images_.push_back({func, 0, is_real}); };
    inlined(repeat_edge(bytes), false);
    inlined(repeat_edge(words), false);
    inlined(repeat_edge(reals), true);
    Func before("before_");
    before(x_, y_) = past(clamp(x_, 0, width_ - 1), clamp(y_, 0, height_ - 1));
    inlined(before, false);
}

void RandomPipeline::add_point() {
    Func func = new_func("point");
    func(x_, y_) = small(whole_at(x_, y_) * (amount + 2) + whole_at(x_, y_));
    features_.insert("scalar");
    add(func, false);
}

void RandomPipeline::add_stencil() {
    Func func = new_func("stencil");
    Expr sum = whole_at(x_ - 1 - draw(2), y_);
    for (int tap = draw(3); tap >= 0; --tap) {
        sum += whole_at(x_ + draw(3), y_ + draw(5) - 2) * (1 + draw(3));
    }
    func(x_, y_) = small(sum);
    features_.insert("stencil");
    add(func, false);
}

void RandomPipeline::add_float_stencil() {
    Func func = new_func("smooth");
    const Expr sum = real_at(x_, y_) * 0.5f + real_at(x_ + 1, y_ - 1) * 0.25f;
    func(x_, y_) = sum + sqrt(cast<float>(whole_at(x_, y_))) * 0.125f;
    features_.insert("float");
    add(func, true);
    if (!exact) return;
    Func rounded = new_func("rounded");
    rounded(x_, y_) = small(cast<int32_t>(floor(clamp(func(x_, y_), 0.f, 1000.f))));
    features_.insert("float to integer");
    add(rounded, false);
}

void RandomPipeline::add_typed() {
    static const std::vector<Type> types = {Halide::UInt(8),  Halide::Int(8),   Halide::UInt(16),
                                            Halide::Int(16),  Halide::UInt(32), Halide::Int(64),
                                            Halide::UInt(64), Halide::Float(64)};
    const Type type = types[static_cast<size_t>(draw(static_cast<int>(types.size())))];
    Func func = new_func("typed");
    func(x_, y_) = cast(type, whole_at(x_, y_) + draw(100)) + cast(type, 3);
    features_.insert("other types");
    add(func, false);
}

void RandomPipeline::add_histogram() {
    Func histogram = new_func("histogram");
    RDom r(0, width_, 0, height_);
    histogram(i_) = 0;
    histogram(clamp(whole_at(r.x, r.y) >> 6, 0, 15)) += 1;
    histogram.bound(i_, 0, 16);
    stored_.push_back({histogram});
    features_.insert("reduction");
    Func func = new_func("equal");
    func(x_, y_) = small(histogram(clamp(whole_at(x_, y_), 0, 15)) + whole_at(x_, y_));
    add(func, false);
}

void RandomPipeline::add_column_sum() {
    Func sums = new_func("sums");
    RDom r(0, height_);
    sums(x_) = 0;
    sums(x_) += whole_at(x_, r.x);
    stored_.push_back({sums});
    features_.insert("reduction");
    Func func = new_func("summed");
    func(x_, y_) = small(sums(clamp(x_, 0, width_ - 1)) + whole_at(x_, y_));
    add(func, false);
}

void RandomPipeline::add_scan() {
    Func func = new_func("scan");
    RDom r(1, height_ - 1);
    func(x_, y_) = whole_at(x_, y_);
    func(x_, r.x) = small(func(x_, r.x) + func(x_, r.x - 1));
    func(x_, 0) = func(x_, 0) + 1;
    features_.insert("several updates");
    add(func, false);
}

void RandomPipeline::add_tuple() {
    Func func = new_func("sorted");
    const Expr a = whole_at(x_, y_), b = whole_at(x_ + 1, y_);
    func(x_, y_) = Tuple(min(a, b), cast<uint16_t>(max(a, b)));
    features_.insert("tuple");
    add(func, false, 2);
}

void RandomPipeline::add_argmax() {
    Func best = new_func("best");
    RDom r(0, width_);
    best(y_) = Tuple(-1, 0);
    const Expr value = whole_at(r.x, y_);
    const Expr better = value > best(y_)[0];
    best(y_) = Tuple(select(better, value, best(y_)[0]), select(better, r.x, best(y_)[1]));
    stored_.push_back({best});
    features_.insert("tuple");
    features_.insert("reduction");
    Func func = new_func("peak");
    const Expr row = clamp(y_, 0, height_ - 1);
    func(x_, y_) = small(best(row)[0] + best(row)[1] * 3 + whole_at(x_, y_));
    add(func, false);
}

void RandomPipeline::add_extern() {
    Func counts = new_func("counts"), turned = new_func("turned");
    RDom r(0, width_, 0, height_);
    counts(i_) = i_;
    counts(clamp(whole_at(r.x, r.y), 0, 15)) += 1;
    counts.bound(i_, 0, 16);
    stored_.push_back({counts});
    turned.define_extern("random_pipeline_turn", {counts, Expr(amount)}, Halide::Int(32), 1);
    stored_.push_back({turned});
    externs_.insert(turned.name());
    features_.insert("extern");
    features_.insert("scalar");
    Func func = new_func("patched");
    func(x_, y_) = small(turned(clamp(whole_at(x_, y_) >> 3, 0, 15)) + whole_at(x_, y_));
    add(func, false);
}

void RandomPipeline::add_lookup() {
    Func func = new_func("looked_up");
    func(x_, y_) = small(table(clamp(whole_at(x_, y_) >> 5, 0, 15)) * 32 + whole_at(x_, y_));
    features_.insert("constant");
    add(func, false);
}

/// Without memory, unless another delegate reads it.
void RandomPipeline::add_inline() {
    Func func("inline" + std::to_string(images_.size()) + "_");
    func(x_, y_) = small(whole_at(x_ + draw(2), y_) * 3 + 1);
    features_.insert("inline");
    images_.push_back({func, 0, false});
}

/// Two Funcs whose loops are one.
void RandomPipeline::add_pair() {
    Func first = new_func("first"), second = new_func("second");
    first(x_, y_) = small(whole_at(x_, y_) + 7);
    second(x_, y_) = small(whole_at(x_, y_) * 5);
    images_.push_back({first, 0, false});
    images_.push_back({second, 0, false});
    stored_.push_back({first, second});
    features_.insert("compute_with");
}

void RandomPipeline::add_one() {
    static const std::vector<void (RandomPipeline::*)()> kinds = {
        &RandomPipeline::add_point,         &RandomPipeline::add_stencil,
        &RandomPipeline::add_stencil,       &RandomPipeline::add_float_stencil,
        &RandomPipeline::add_float_stencil, &RandomPipeline::add_lookup,
        &RandomPipeline::add_pair,          &RandomPipeline::add_inline,
        &RandomPipeline::add_typed,         &RandomPipeline::add_typed,
        &RandomPipeline::add_histogram,     &RandomPipeline::add_column_sum,
        &RandomPipeline::add_scan,          &RandomPipeline::add_tuple,
        &RandomPipeline::add_argmax,        &RandomPipeline::add_extern,
        &RandomPipeline::add_extern,        &RandomPipeline::add_lookup,
        &RandomPipeline::add_inline,        &RandomPipeline::add_pair,
    };
    (this->*kinds[static_cast<size_t>(draw(static_cast<int>(kinds.size())))])();
}

void RandomPipeline::generate() {
    random_.seed(static_cast<uint32_t>(static_cast<int>(seed)));
    width_ = 8 + draw(40);
    height_ = 8 + draw(30);
    add_sources();
    for (int left = 2 + draw(4); left >= 0; --left) add_one();
    Func next("next_");
    next(x_, y_) = whole_at(x_, y_);
    past.next(next);
    dense_ = {next.name(), Func(whole).name(), Func(real).name()};
    stored_.push_back({next});

    // All that was drawn is part of the pipeline.
    Expr sum = cast<int32_t>(next(x_, y_));
    Expr real_sum = 0.f;
    for (const Image &image : images_) {
        const Expr value = image.func.outputs() == 1
                               ? Expr(image.func(x_, y_))
                               : image.func(x_, y_)[static_cast<int>(image.part)];
        if (image.is_real) {
            real_sum += cast<float>(value);
        } else {
            sum += small(cast<int32_t>(value));
        }
    }
    whole(x_, y_) = sum;
    real(x_, y_) = real_sum;
    stored_.push_back({whole});
    stored_.push_back({real});
}

void RandomPipeline::schedule_on_gpu(Func func) {
    if (func.dimensions() != 2 || func.has_update_definition() || draw(2)) return;
    func.gpu_tile(x_, y_, xi_, yi_, 4 + draw(5), 2 + draw(4), TailStrategy::GuardWithIf);
    features_.insert("gpu schedule");
}

void RandomPipeline::schedule_on_cpu(Func func) {
    if (func.dimensions() != 2 || func.has_update_definition() || draw(2)) return;
    func.vectorize(x_, 1 << (1 + draw(3)), TailStrategy::GuardWithIf);
    features_.insert("cpu schedule");
}

void RandomPipeline::place(const std::vector<std::vector<Func>> &groups) {
    static const std::vector<std::string> all = {"cpu", "sim:0", "opencl:0", "sim:1", "opencl:1"};
    std::vector<std::string> devices(all.begin() + draw(2), all.begin() + 3);
    if (draw(2)) devices.push_back(all[static_cast<size_t>(3 + draw(2))]);
    if (draw(3) == 0) devices.erase(devices.begin());
    if (devices.size() == 1) devices.push_back("cpu");
    // One delegate for each run of kernels on a device: none can need itself.
    std::vector<std::pair<std::string, std::vector<Func>>> delegates;
    for (size_t n = 0; n < groups.size(); ++n) {
        const bool at_home = groups[n].size() > 1 || externs_.count(groups[n][0].name());
        // The last two are on the first two devices.
        const size_t at = n + 2 >= groups.size()
                              ? groups.size() - 1 - n
                              : static_cast<size_t>(draw(static_cast<int>(devices.size())));
        const std::string device = at_home ? "cpu" : devices[at];
        if (delegates.empty() || delegates.back().first != device)
            delegates.push_back({device, {}});
        for (const Func &func : groups[n]) delegates.back().second.push_back(func);
    }
    for (size_t n = 0; n < delegates.size(); ++n) {
        const auto &[device, funcs] = delegates[n];
        delegate("part" + std::to_string(n), funcs).on(device);
        features_.insert("on " + device.substr(0, device.find(':')));
    }
}

void RandomPipeline::schedule() {
    const auto bound = [&](auto &port) {
        port.dim(0).set_bounds(0, width_);
        port.dim(1).set_bounds(0, height_);
    };
    bound(bytes), bound(words), bound(reals), bound(whole), bound(real);
    if (placed) place(stored_);
    for (const std::vector<Func> &group : stored_) {
        for (Func func : group) {
            func.compute_root();
            if (!placed || externs_.count(func.name()) || group.size() > 1) continue;
            on_gpu(func) ? schedule_on_gpu(func) : schedule_on_cpu(func);
            if (func.dimensions() == 2 && draw(8) == 0 && !dense_.count(func.name())) {
                func.reorder_storage(y_, x_);
                features_.insert("storage order");
            }
        }
        if (placed && group.size() > 1) Func(group[1]).compute_with(group[0], y_);
    }
}

}  // namespace halyard::generators
