#pragma once

/// What a generator includes: Halide, and placement.
#include "Halide.h"
#include "dsl/generator.h"
