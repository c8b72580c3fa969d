#pragma once

#include "pipeline/plan.h"

namespace halyard::pipeline {

/// Turns kernels and hops into steps over replicas: says in which memory each value lies in each
/// space.
///
/// Before: a placed graph whose transfers are hops.
/// After: a plan whose steps are right when run one after the other. Kernels write where their
/// output must end up, if they can. Copies inside a space are made only where someone needs them:
/// for a second port, for a value that is taken `inplace` and still needed, between a pageable
/// buffer and pinned memory. Steps have no queue yet, storages of an arena no offset.
///
/// After the transfers are final, since what a hop brings decides what must be kept.
Plan form_steps(Graph graph, bool peer);

}  // namespace halyard::pipeline
