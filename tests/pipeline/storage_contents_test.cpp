#include "pipeline/storage_contents.h"

#include <catch2/catch.hpp>

using namespace halyard;
using namespace halyard::pipeline;

namespace {

/// Steps 0, 1, … each on a queue of its own, so that only waits order them.
StepOrder order_of(const std::vector<std::vector<StepId>> &waits) {
    std::vector<Step> steps;
    for (uint32_t i = 0; i < waits.size(); ++i) {
        steps.push_back({.queue = QueueId{i + 1}, .waits = waits[i], .action = Copy{}});
    }
    return StepOrder(steps, waits.size() + 1);
}

Elements elements(uint32_t root, uint64_t byte, uint64_t count, int64_t element = 0,
                  int64_t step = 1, uint32_t bytes = 4) {
    return {.root = ValueId{root}, .element_bytes = bytes, .runs = {{byte, count, element, step}}};
}

}  // namespace

TEST_CASE("StorageContents finds what was written before") {
    const StepOrder order = order_of({{}, {StepId{0}}, {}});
    StorageContents contents(64);
    CHECK_FALSE(contents.write(order, StepId{0}, elements(1, 0, 16)));
    CHECK_FALSE(contents.read(order, StepId{1}, elements(1, 0, 16)));
    CHECK_FALSE(contents.read(order, StepId{1}, elements(1, 8, 3, 2)));
    CHECK(contents.read(order, StepId{2}, elements(1, 0, 16)) ==
          "is not ordered behind step 0, which writes it");
}

TEST_CASE("StorageContents tells elements apart") {
    const StepOrder order = order_of({{}, {StepId{0}}});
    const std::string other = "finds something else there";
    StorageContents contents(64);
    CHECK(contents.read(order, StepId{1}, elements(1, 0, 1)) == other);
    contents.write(order, StepId{0}, elements(1, 0, 8, 10, 3));
    CHECK_FALSE(contents.read(order, StepId{1}, elements(1, 8, 2, 16, 3)));
    CHECK_FALSE(contents.read(order, StepId{1}, elements(1, 8, 1, 16, 1)));
    CHECK(contents.read(order, StepId{1}, elements(1, 8, 2, 16, 1)) == other);
    CHECK(contents.read(order, StepId{1}, elements(1, 8, 2, 15, 3)) == other);
    CHECK(contents.read(order, StepId{1}, elements(2, 8, 2, 16, 3)) == other);
    CHECK(contents.read(order, StepId{1}, elements(1, 24, 3, 28, 3)) == other);
    CHECK(contents.read(order, StepId{1}, elements(1, 2, 1, 10, 1)) == other);
    CHECK(contents.read(order, StepId{1}, elements(1, 0, 1, 10, 1, 2)) == other);
}

TEST_CASE("StorageContents keeps what a write leaves at both sides") {
    const StepOrder order = order_of({{}, {StepId{0}}, {StepId{1}}});
    StorageContents contents(64);
    contents.write(order, StepId{0}, elements(1, 0, 16));
    CHECK_FALSE(contents.write(order, StepId{1}, elements(2, 16, 4)));
    CHECK_FALSE(contents.read(order, StepId{2}, elements(1, 0, 4)));
    CHECK_FALSE(contents.read(order, StepId{2}, elements(2, 16, 4)));
    CHECK_FALSE(contents.read(order, StepId{2}, elements(1, 32, 8, 8)));
    CHECK(contents.read(order, StepId{2}, elements(1, 12, 2, 3)) == "finds something else there");
}

TEST_CASE("StorageContents wants writers behind all who touched the bytes") {
    const StepOrder order = order_of({{}, {StepId{0}}, {StepId{0}}, {StepId{1}}, {}});
    StorageContents contents(64);
    contents.write(order, StepId{0}, elements(1, 0, 16));
    contents.read(order, StepId{1}, elements(1, 0, 4));
    contents.read(order, StepId{2}, elements(1, 16, 4, 4));
    CHECK_FALSE(contents.write(order, StepId{3}, elements(2, 0, 4)));
    CHECK(contents.write(order, StepId{3}, elements(2, 12, 4)) ==
          "is not ordered behind step 2, which reads what was there");
    CHECK(contents.write(order, StepId{4}, elements(3, 0, 1)) ==
          "is not ordered behind step 3, which writes there too");
}

TEST_CASE("StorageContents lets a step write over what it takes, but not over what it reads") {
    const StepOrder order = order_of({{}, {StepId{0}}});
    StorageContents taken(16), read(16);
    taken.write(order, StepId{0}, elements(1, 0, 4));
    read.write(order, StepId{0}, elements(1, 0, 4));
    CHECK_FALSE(taken.take(order, StepId{1}, elements(1, 0, 4)));
    CHECK_FALSE(taken.write(order, StepId{1}, elements(2, 0, 4)));
    CHECK_FALSE(read.read(order, StepId{1}, elements(1, 0, 4)));
    CHECK(read.write(order, StepId{1}, elements(2, 0, 4)) ==
          "is not ordered behind step 1, which reads what was there");
    CHECK(taken.write(order, StepId{1}, elements(3, 0, 4)) ==
          "is not ordered behind step 1, which writes there too");
}

TEST_CASE("StorageContents forgets all in a storage that is spoiled") {
    const StepOrder order = order_of({{}, {StepId{0}}, {StepId{1}}, {}});
    StorageContents contents(16);
    contents.write(order, StepId{0}, elements(1, 0, 4));
    CHECK_FALSE(contents.spoil(order, StepId{1}));
    CHECK(contents.read(order, StepId{2}, elements(1, 0, 1)) == "finds something else there");
    CHECK(contents.spoil(order, StepId{3}) ==
          "is not ordered behind step 1, which writes there too");
    CHECK_FALSE(StorageContents(0).spoil(order, StepId{0}));
}

TEST_CASE("StorageContents settles what is done") {
    const StepOrder order = order_of({{}, {}});
    StorageContents contents(16);
    contents.write(order, StepId{0}, elements(1, 0, 4));
    contents.settle();
    CHECK_FALSE(contents.read(order, StepId{1}, elements(1, 0, 4)));
}

TEST_CASE("StorageContents forgets a value") {
    StorageContents contents(32);
    contents.put(elements(1, 0, 4));
    contents.put(elements(2, 16, 4));
    contents.forget({false, true, false});
    CHECK_FALSE(contents.holds(elements(1, 0, 4)));
    CHECK(contents.holds(elements(2, 16, 4)));
}

TEST_CASE("StorageContents compares two storages") {
    StorageContents a(32), b(32);
    a.put(elements(1, 0, 8));
    b.put(elements(1, 4, 2, 1));
    CHECK(a.holds(elements(1, 0, 8)));
    CHECK_FALSE(b.holds(elements(1, 0, 8)));
    CHECK(a.holds_all_of(b));
    CHECK_FALSE(b.holds_all_of(a));
    b.put(elements(2, 4, 1));
    CHECK_FALSE(a.holds_all_of(b));
}

TEST_CASE("StorageContents reads what lies apart, and minds no gap") {
    const StepOrder order = order_of({{}, {StepId{0}}, {}, {StepId{1}}, {StepId{3}}, {StepId{4}}});
    const auto apart = [](int64_t element, int64_t step, uint64_t byte = 4) {
        return Elements{
            .root = ValueId{1},
            .element_bytes = 4,
            .runs = {{.byte = byte, .count = 4, .element = element, .step = step, .gap = 8}}};
    };
    const std::string other = "finds something else there";
    StorageContents contents(64);
    CHECK_FALSE(contents.write(order, StepId{0}, elements(1, 0, 16)));
    CHECK_FALSE(contents.read(order, StepId{1}, apart(1, 3)));
    CHECK(contents.read(order, StepId{1}, apart(1, 1)) == other);
    CHECK(contents.read(order, StepId{1}, apart(2, 3)) == other);
    // Another value in a gap, then in place of an element.
    CHECK_FALSE(contents.write(order, StepId{3}, elements(2, 8, 2)));
    CHECK_FALSE(contents.read(order, StepId{4}, apart(1, 3)));
    CHECK(contents.read(order, StepId{2}, apart(1, 3)) ==
          "is not ordered behind step 0, which writes it");
    CHECK_FALSE(contents.write(order, StepId{5}, elements(2, 16, 1)));
    CHECK(contents.read(order, StepId{5}, apart(1, 3)) == other);
    CHECK(contents.read(order, StepId{5}, apart(1, 3, 6)) == other);
}
