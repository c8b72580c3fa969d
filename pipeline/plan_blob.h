#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// The bytes of constants and of states' initial arrays, by name, dense in their box.
using Data = std::map<std::string, std::vector<uint8_t>>;

/// Plans of one library as the runtime reads them; runtime/plan.fbs tells the form. The plans have
/// equal ports, and the first whose assumptions hold at run time is taken. Throws UserError if a
/// constant's data is missing or has another size than its box.
std::vector<uint8_t> write_plans(std::span<const Plan> plans, const Data &data);

}  // namespace halyard::pipeline
