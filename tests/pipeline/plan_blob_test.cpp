#include "pipeline/plan_blob.h"

#include <cstring>

#include <catch2/catch.hpp>

#include "dsl/error.h"
#include "dsl/text.h"
#include "pipeline/pipeline.h"
#include "runtime/plan_generated.h"

using namespace halyard;
using namespace halyard::pipeline;

namespace {

constexpr const char *text = R"(
    pipeline p(%a: u16[-1+4,3] order(1,0) pitched @cpu, %s: i8 @cpu) -> (%o @sim:2, %o as again @cpu pinned) {
      const %c: f32[5]
      state %n: f32[2] = 1.5
      state %k: u8[3] "k.raw" delay 1
      %o: u16[4,3], %m: f32[2], %l: u8[3] = f(%a, %s, %c, %n, %k) @sim:2 workspace 10
      next %n = %m
      next %k = %l
    }
)";

const Data data = {{"c", std::vector<uint8_t>(20, 7)}, {"k", {1, 2, 3}}};

Plan plan_of(const std::string &graph) {
    return make_plan(parse(graph).at(0));
}

const fbs::Header &header_of(const std::vector<uint8_t> &blob) {
    return *reinterpret_cast<const fbs::Header *>(blob.data());
}

const fbs::Library &library_of(const std::vector<uint8_t> &blob) {
    flatbuffers::Verifier verifier(blob.data() + sizeof(fbs::Header),
                                   header_of(blob).data() - sizeof(fbs::Header));
    REQUIRE(fbs::VerifyLibraryBuffer(verifier));
    return *fbs::GetLibrary(blob.data() + sizeof(fbs::Header));
}

template<typename Vector>
auto list(const Vector *vector) {
    return std::vector(vector->begin(), vector->end());
}

Box box_of(const flatbuffers::Vector<const fbs::Dim *> *dims) {
    Box box;
    for (const fbs::Dim *dim : *dims) {
        box.push_back({dim->min(), dim->extent()});
    }
    return box;
}

std::string error_of(const std::vector<Plan> &plans, const Data &given) {
    try {
        write_plans(plans, given);
        return "";
    } catch (const UserError &error) {
        return error.what();
    }
}

}  // namespace

TEST_CASE("write_plans puts a header in front and data behind") {
    const std::vector<uint8_t> blob = write_plans(std::vector{plan_of(text)}, data);
    const fbs::Header &header = header_of(blob);
    CHECK(memcmp(header.magic()->data(), "HALYARD", 8) == 0);
    CHECK(header.version() == 1);
    CHECK(header.size() == blob.size());
    CHECK(header.data() % 64 == 0);
    CHECK(blob.size() == header.data() + 128);
    CHECK(library_of(blob).name()->str() == "p");
    // The same plan gives the same bytes.
    CHECK(write_plans(std::vector{plan_of(text)}, data) == blob);
}

TEST_CASE("write_plans writes ports with the strides that the caller must have") {
    const std::vector<uint8_t> blob = write_plans(std::vector{plan_of(text)}, data);
    const auto &ports = *library_of(blob).ports();
    REQUIRE(ports.size() == 4);
    CHECK(ports.Get(0)->name()->str() == "a");
    CHECK(ports.Get(0)->elem() == fbs::Elem::U16);
    CHECK(box_of(ports.Get(0)->box()) == Box{{-1, 4}, {0, 3}});
    CHECK(list(ports.Get(0)->strides()) == std::vector<int64_t>{3, 1});
    CHECK(ports.Get(0)->pitched());
    CHECK_FALSE(ports.Get(0)->output());
    CHECK(ports.Get(0)->kind()->str() == "cpu");
    CHECK(ports.Get(1)->scalar());
    CHECK(ports.Get(1)->elem() == fbs::Elem::I8);
    CHECK(ports.Get(2)->output());
    CHECK(ports.Get(2)->kind()->str() == "sim");
    CHECK(ports.Get(2)->index() == 2);
    CHECK(list(ports.Get(2)->strides()) == std::vector<int64_t>{1, 4});
    CHECK(ports.Get(3)->name()->str() == "again");
    CHECK(ports.Get(3)->pinned());
}

TEST_CASE("write_plans writes the plan's tables as they are") {
    const Plan plan = plan_of(text);
    const std::vector<uint8_t> blob = write_plans(std::vector{plan}, data);
    const fbs::Plan &written = *library_of(blob).plans()->Get(0);
    REQUIRE(written.spaces()->size() == plan.spaces.size());
    for (size_t i = 0; i < plan.spaces.size(); i++) {
        CHECK(written.spaces()->Get(i)->frame_bytes() == plan.spaces[i].frame_bytes);
        CHECK(written.spaces()->Get(i)->instance_bytes() == plan.spaces[i].instance_bytes);
        CHECK(written.spaces()->Get(i)->storage_alignment() == plan.spaces[i].alignment.storage);
        CHECK(written.spaces()->Get(i)->argument_alignment() == plan.spaces[i].alignment.argument);
    }
    REQUIRE(written.queues()->size() == plan.queues.size());
    REQUIRE(written.storages()->size() == plan.storages.size());
    for (size_t i = 0; i < plan.storages.size(); i++) {
        const Storage &storage = plan.storages[i];
        const fbs::Storage &found = *written.storages()->Get(i);
        CHECK(static_cast<int>(found.kind()) == static_cast<int>(storage.kind));
        CHECK(found.space() == index_of(storage.space));
        CHECK(found.index() == storage.index + (storage.kind == StorageKind::Output ? 2 : 0));
        CHECK(found.slot() == storage.slot);
        CHECK(found.offset() == storage.offset);
        CHECK(found.bytes() == storage.bytes);
    }
    REQUIRE(written.replicas()->size() == plan.replicas.size());
    for (size_t i = 0; i < plan.replicas.size(); i++) {
        const Replica &replica = plan.replicas[i];
        const fbs::Replica &found = *written.replicas()->Get(i);
        CHECK(found.value()->str() == plan.graph[replica.value].name);
        CHECK(found.storage() == index_of(replica.storage));
        CHECK(found.offset() == replica.offset);
        CHECK(box_of(found.box()) == replica.box);
        CHECK(list(found.strides()) == replica.strides);
        CHECK(found.pitched() == replica.pitched);
    }
    CHECK(written.kernels()->Get(0)->name()->str() == plan.kernels[0].name);
    CHECK(written.states()->Get(1)->name()->str() == "k");
    CHECK(written.states()->Get(1)->slots() == 3);
    CHECK(written.states()->Get(1)->elem() == fbs::Elem::U8);
    CHECK(written.transfers()->size() == plan.hops.size());
    CHECK(written.transfers()->Get(0)->reason()->str() == plan.graph.transfers[0].reason);
    CHECK(written.per_call()->uploads() == plan.per_call.uploads);
    CHECK(written.at_load()->payload() == plan.at_load.payload);
    CHECK(written.bound_hops() == plan.bound.hops);
    CHECK(written.text()->str() == print(plan.graph));
}

TEST_CASE("write_plans writes steps with their waits and actions") {
    const Plan plan = plan_of(text);
    const std::vector<uint8_t> blob = write_plans(std::vector{plan}, data);
    const fbs::Plan &written = *library_of(blob).plans()->Get(0);
    size_t launches = 0;
    size_t copies = 0;
    const auto check_steps = [&](const std::vector<Step> &steps, const auto &found) {
        REQUIRE(found.size() == steps.size());
        for (uint32_t i = 0; i < found.size(); i++) {
            const fbs::Step &step = *found.Get(i);
            CHECK(step.queue() == index_of(steps[i].queue));
            CHECK(step.waits()->size() == steps[i].waits.size());
            for (uint32_t w = 0; w < step.waits()->size(); w++) {
                CHECK(step.waits()->Get(w) == index_of(steps[i].waits[w]));
            }
            std::visit(overloaded{
                           [&](const Launch &launch) {
                               const fbs::Launch &l = *step.action_as_Launch();
                               REQUIRE(l.args()->size() == launch.args.size());
                               CHECK(l.args()->Get(0)->id() ==
                                     index_of(std::get<ReplicaId>(launch.args[0])));
                               CHECK(l.args()->Get(1)->scalar());
                               CHECK(l.args()->Get(1)->id() == 1);
                               CHECK(l.outputs() == 3);
                               CHECK(l.workspace() == index_of(*launch.workspace));
                               launches++;
                           },
                           [&](const Copy &copy) {
                               const fbs::Copy &c = *step.action_as_Copy();
                               CHECK(static_cast<int>(c.kind()) == static_cast<int>(copy.kind));
                               CHECK(c.from() == index_of(copy.from));
                               CHECK(c.to() == index_of(copy.to));
                               CHECK(box_of(c.box()) == copy.box);
                               copies++;
                           },
                           [&](const Fill &fill) {
                               CHECK(step.action_as_Fill()->to() == index_of(fill.to));
                               CHECK(step.action_as_Fill()->value() == fill.value);
                           },
                       },
                       steps[i].action);
        }
    };
    check_steps(plan.load, *written.load());
    check_steps(plan.steps, *written.steps());
    CHECK(launches == 1);
    CHECK(copies > 3);
}

TEST_CASE("write_plans writes constants, then initial arrays, once for all plans") {
    const Plan plan = plan_of(text);
    const std::vector<uint8_t> blob = write_plans(std::vector{plan, plan}, data);
    CHECK(blob.size() == header_of(blob).data() + 128);
    for (const fbs::Plan *written : *library_of(blob).plans()) {
        const auto &constants = *written->constants();
        REQUIRE(constants.size() == 3);
        CHECK(constants.Get(0)->name()->str() == "c");
        CHECK(constants.Get(0)->bytes() == 20);
        CHECK(constants.Get(1)->bytes() == 0);  // a number
        CHECK(constants.Get(2)->bytes() == 3);
        const uint8_t *bytes = blob.data() + header_of(blob).data();
        CHECK(bytes[constants.Get(0)->offset() + 19] == 7);
        CHECK(bytes[constants.Get(2)->offset() + 1] == 2);
        CHECK(constants.Get(2)->offset() == 64);
    }
}

TEST_CASE("write_plans names data that is missing or has another size") {
    const std::vector<Plan> plans = {plan_of(text)};
    CHECK(error_of(plans, data) == "");
    CHECK(error_of(plans, {{"k", {1, 2, 3}}}) == "graph:3:13: constant 'c' has no data");
    CHECK(error_of(plans, {{"c", std::vector<uint8_t>(20)}}) == "graph:5:13: state 'k' has no data");
    CHECK(error_of(plans, {{"c", {1}}, {"k", {1, 2, 3}}}) ==
          "graph:3:13: the data of constant 'c' has 1 bytes, but f32[5] has 20");
}

TEST_CASE("write_plans needs a plan, whose transfers are between its spaces") {
    CHECK_THROWS_WITH(write_plans({}, {}), "a library needs at least one plan");
    Plan plan = plan_of(text);
    REQUIRE(!plan.graph.transfers.empty());
    plan.graph.transfers[0].to = Device{DeviceKind::OpenCL, 4};
    CHECK_THROWS_WITH(write_plans(std::vector{plan}, data),
                      "a transfer names opencl:4, which is no space of the plan");
}
