#include <CLI/CLI.hpp>
#include <iostream>

#include "dsl/error.h"
#include "plan_command.h"

int main(int argc, char **argv) {
    CLI::App app("Plans pipelines that cross devices.");
    app.require_subcommand(1);
    PlanCommand plan;
    std::string peer = "yes";
    CLI::App *command = app.add_subcommand("plan", "Read graphs in text form and print their plans");
    command->add_option("FILE", plan.file, "A graph in text form")->required();
    command->add_option("--peer", peer, "Whether devices of one kind, except opencl, reach each other")
        ->check(CLI::IsMember({"yes", "no"}));
    command->add_option("--like", plan.like, "Count transfers by another planner's rule")
        ->check(CLI::IsMember({"executorch"}));
    command->add_flag("--counts", plan.counts, "One line for each pipeline");
    command->add_flag("--dump", plan.dump, "Print what each pass makes");
    try {
        app.parse(argc, argv);
        plan.peer = peer == "yes";
        run(plan);
        return 0;
    } catch (const CLI::Success &success) {
        return app.exit(success);
    } catch (const CLI::ParseError &error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    } catch (const halyard::UserError &error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    } catch (const std::exception &error) {
        std::cerr << "internal error: " << error.what() << '\n';
        return 2;
    }
}
