#pragma once

#include <string>

/// What `halyard plan` was asked for.
struct PlanCommand {
    std::string file;
    bool peer = true;     ///< devices of one kind, except opencl, reach each other
    std::string like;     ///< "executorch": count by that rule; empty: plan
    bool counts = false;  ///< one line for each pipeline, for scripts
    bool dump = false;    ///< the text behind each pass
};

/// Reads the file, and prints the plans of its pipelines. Throws UserError.
void run(const PlanCommand &command);
