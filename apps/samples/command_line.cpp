#include "command_line.h"

#include <cstdlib>
#include <stdexcept>

void add_accelerator(CLI::App &app, std::string &accelerator, const std::string &description) {
    app.add_option("--accelerator", accelerator, description)
        ->transform(CLI::IsMember({"auto", "opencl:0", "sim:0"}, CLI::ignore_case))
        ->capture_default_str();
}

void parse(CLI::App &app, int argc, char **argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success &help) {
        std::exit(app.exit(help));
    } catch (const CLI::ParseError &error) {
        throw std::runtime_error(error.what());
    }
}
