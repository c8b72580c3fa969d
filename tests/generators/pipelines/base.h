#pragma once

// For generators that are compiled as plain Halide too: the base class is all that differs.
#ifdef PLAIN_HALIDE
#include "Halide.h"
template<typename T>
using Base = Halide::Generator<T>;
#else
#include "Halyard.h"
template<typename T>
using Base = halyard::Generator<T>;
#endif
