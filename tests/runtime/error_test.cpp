#include "runtime/error.h"

#include <string>
#include <thread>

#include <catch2/catch.hpp>

#include "runtime/runtime.h"

using namespace halyard::runtime;

TEST_CASE("an error's text is the thread's own, cut, and may hold the one before it") {
    CHECK(set_error(-5, "%s is %d", "x", 3) == -5);
    CHECK(std::string(halyard_last_error()) == "x is 3");
    set_error(-1, "so: %s", last_error());
    CHECK(std::string(last_error()) == "so: x is 3");
    set_error(-1, "%s", std::string(5000, 'a').c_str());
    CHECK(std::string(last_error()) == std::string(2047, 'a'));
    CHECK(last_code() == -1);
    const uint64_t errors = count_errors();
    set_error(-7, "one more");
    CHECK(last_code() == -7);
    CHECK(count_errors() == errors + 1);
    // Another thread has none of it.
    std::string other = "?";
    std::thread([&] { other = halyard_last_error(); }).join();
    CHECK(other == "");
}
