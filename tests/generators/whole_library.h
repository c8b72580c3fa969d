#pragma once

#include <string>

#include "generators/make_module.h"
#include "runtime/runtime.h"
#include "tests/generators/run_program.h"
#include "tests/generators/scratch_folder.h"

namespace halyard::generators {

/// A pipeline compiled to an object, loaded into this process as a shared library, and run by
/// Halyard's runtime. The test program has that and Halide's, and exports them.
class WholeLibrary {
public:
    WholeLibrary(const Modules &modules, const std::string &name);
    ~WholeLibrary();
    WholeLibrary(const WholeLibrary &) = delete;
    WholeLibrary &operator=(const WholeLibrary &) = delete;

    /// Calls it, with buffers by the names of its ports. Each scalar port is what run_plain()
    /// gives.
    int call(halyard_instance *instance, Buffers &buffers, int32_t scalar = 7) const;

private:
    template<typename Function>
    Function *find(const std::string &suffix) const {
        return reinterpret_cast<Function *>(find_symbol(name_ + suffix));
    }
    void *find_symbol(const std::string &symbol) const;

    ScratchFolder folder_;
    std::string name_;
    void *handle_ = nullptr;
};

/// An instance that is destroyed with its owner.
class OwnInstance {
public:
    OwnInstance();
    ~OwnInstance() { halyard_instance_destroy(instance_); }
    OwnInstance(const OwnInstance &) = delete;
    OwnInstance &operator=(const OwnInstance &) = delete;

    halyard_instance *get() const { return instance_; }

private:
    halyard_instance *instance_ = nullptr;
};

}  // namespace halyard::generators
