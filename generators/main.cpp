#include <signal.h>
#include <unistd.h>

#include <iostream>

#include "Halide.h"
#include "dsl/error.h"
#include "generators/call_halide.h"
#include "generators/generate.h"
#include "generators/options.h"

namespace {

using halyard::generators::Options;

/// -t: what Halide's compiler does cannot be interrupted otherwise.
void give_up_after(unsigned seconds) {
    signal(SIGALRM, [](int) {
        constexpr char text[] = "error: the time that -t allows is over\n";
        [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, sizeof(text) - 1);
        _exit(1);
    });
    alarm(seconds);
}

void print(const std::string &text) {
    std::cout << text << std::flush;
    if (!std::cout) throw halyard::UserError("standard output cannot be written");
}

void run(int argc, char **argv) {
    const std::vector<std::string> registered = Halide::Internal::GeneratorRegistry::enumerate();
    const Options options = halyard::generators::read_options({argv + 1, argv + argc}, registered);
    if (options.help) {
        print(halyard::generators::usage(registered));
        return;
    }
    give_up_after(options.timeout_seconds);
    const std::string said = halyard::generators::generate(options);
    for (const std::string &warning : halyard::generators::take_warnings()) {
        std::cerr << "warning: " << warning << '\n';
    }
    print(said);
}

}  // namespace

int main(int argc, char **argv) {
    try {
        run(argc, argv);
        return 0;
    } catch (const halyard::UserError &error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    } catch (const Halide::Error &error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    } catch (const std::exception &error) {
        std::cerr << "internal error: " << error.what() << '\n';
        return 2;
    }
}
