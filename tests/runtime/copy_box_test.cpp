#include "runtime/copy_box.h"

#include <string>

#include <catch2/catch.hpp>

using namespace halyard::runtime;

TEST_CASE("spans of a copy reach from its first byte to behind its last") {
    const halyard_copy copy = {{}, {}, 4, 3, 2, 8, 32, 6, 20};
    CHECK(bytes_of(copy) == 24);
    CHECK(span_from(copy) == 32 + 16 + 4);
    CHECK(span_to(copy) == 20 + 12 + 4);
    CHECK(span_from(halyard_copy{}) == 0);
}

TEST_CASE("copy_box copies rows of slices and nothing between them") {
    const std::string from = "abcdefghijklmnopqrstuvwxyz";
    std::string to(26, '.');
    copy_box({{}, {}, 2, 2, 2, 4, 12, 3, 8}, from.data(), to.data());
    CHECK(to == "ab.ef...mn.qr............." + std::string());
    copy_box({}, from.data(), to.data());
    CHECK(to.substr(13) == std::string(13, '.'));
    std::string same = from;
    copy_box({{}, {}, 10, 1, 1, 10, 10, 10, 10}, same.data(), same.data() + 5);
    CHECK(same == "abcdeabcdefghijpqrstuvwxyz");
}
