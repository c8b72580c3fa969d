#include <CLI/CLI.hpp>
#include <iostream>

#include "dsl/error.h"
#include "plan_command.h"

namespace {

int fail(const std::exception &error) {
    std::cerr << "error: " << error.what() << '\n';
    return 1;
}

void add_plan(CLI::App &app, PlanCommand &plan) {
    CLI::App *command = app.add_subcommand("plan", "Print the plans of graphs in text form");
    command->add_option("FILE", plan.file, "Graphs in text form")->required();
    command
        ->add_option_function<std::string>(
            "--peer", [&plan](const std::string &answer) { plan.peer = answer == "yes"; },
            "Whether devices of one kind, except opencl, reach each other [yes]")
        ->check(CLI::IsMember({"no", "yes"}));
    command->add_option("--like", plan.like, "Count the transfers that another planner would make")
        ->check(CLI::IsMember({"executorch"}));
    command->add_flag("--counts", plan.counts, "Print one line for each pipeline");
    command->add_flag("--dump", plan.dump, "Print what each pass makes");
}

/// CLI11 would say that a subcommand is missing, and not which word it does not know.
void check_subcommand(CLI::App &app, int argc, char **argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    for (const CLI::App *known : app.get_subcommands(nullptr)) {
        if (known->check_name(argv[1])) return;
    }
    throw halyard::UserError(std::string("'") + argv[1] + "' is no subcommand: there is plan");
}

}  // namespace

int main(int argc, char **argv) {
    CLI::App app("Plans pipelines that cross devices.");
    app.require_subcommand(1);
    PlanCommand plan;
    add_plan(app, plan);
    try {
        check_subcommand(app, argc, argv);
        app.parse(argc, argv);
        run(plan);
        if (!std::cout.flush()) throw halyard::UserError("the output cannot be written");
        return 0;
    } catch (const CLI::Success &help) {
        return app.exit(help);
    } catch (const CLI::ParseError &error) {
        return fail(error);
    } catch (const halyard::UserError &error) {
        return fail(error);
    } catch (const std::exception &error) {
        std::cerr << "internal error: " << error.what() << '\n';
        return 2;
    }
}
