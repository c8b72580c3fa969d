#include <cstdio>
#include <fstream>

#include "HalideBuffer.h"
#include "runtime/runtime.h"
#include "thrice_cl.h"
#include "twice.h"
#include "twice_by_halide.h"

using Halide::Runtime::Buffer;

namespace {

int failures = 0;

void check(bool holds, const char *what) {
    if (holds) return;
    std::fprintf(stderr, "%s: %s\n", what, halyard_last_error());
    ++failures;
}

template<typename Call>
void check_times(int factor, const char *what, const Call &call) {
    Buffer<uint8_t, 2> input(16, 16), output(16, 16);
    input.for_each_element([&](int x, int y) { input(x, y) = static_cast<uint8_t>(x + y); });
    check(call(input.raw_buffer(), output.raw_buffer()) == 0, what);
    output.for_each_element([&](int x, int y) { check(output(x, y) == factor * (x + y), what); });
}

}  // namespace

int main(int argc, char **argv) {
    check_times(2, "twice",
                [](halide_buffer_t *in, halide_buffer_t *out) { return twice(in, out); });
    check_times(2, "twice_by_halide",
                [](halide_buffer_t *in, halide_buffer_t *out) { return twice_by_halide(in, out); });
    check_times(3, "thrice", [](halide_buffer_t *in, halide_buffer_t *out) {
        return shop::filters::thrice(nullptr, in, out);
    });
    halyard_counters counters{};
    halyard_read_counters(nullptr, &counters);
    check(counters.uploads == 2 && counters.downloads == 2,
          "two calls of three have a sim in them");
    for (int i = 1; i < argc; ++i) check(std::ifstream(argv[i]).good(), argv[i]);
    check(argc == 3, "the plan's files are named");
    return failures == 0 ? 0 : 1;
}
