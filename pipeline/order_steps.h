#pragma once

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Orders the steps of a call so that the calling thread hands out work early and blocks late.
///
/// Before: the steps are right when run one after the other.
/// After: they still are. A device's steps stand as early as they can be issued, in the order of
/// how much must be done before them, long paths first: so uploads come early, and a download right
/// behind what makes its value. The host's steps stand behind all of them: first those that wait
/// for no device, then in the order in which what they wait for was issued.
///
/// Before queues are assigned: what a host step waits for, and for how long, depends on its place.
Plan order_steps(Plan plan);

}  // namespace halyard::pipeline
