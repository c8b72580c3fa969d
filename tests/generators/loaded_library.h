#pragma once

#include <functional>
#include <span>
#include <string>

#include "HalideRuntime.h"
#include "generators/make_module.h"
#include "tests/generators/scratch_folder.h"

/// What an entry hands to halyard_call(), which these tests define themselves.
struct RuntimeCall {
    void *user_context = nullptr;
    const halide_buffer_t *plans = nullptr;
    void *const *kernels = nullptr;
    halide_buffer_t *const *buffers = nullptr;
    void *const *scalars = nullptr;

    /// Calls kernel `index` of the table.
    int run(size_t index, void *user_context, std::vector<void *> args) const;
};

/// What halyard_call() does, for the life of this object.
class OnRuntimeCall {
public:
    explicit OnRuntimeCall(std::function<int(const RuntimeCall &)> action);
    ~OnRuntimeCall();
    OnRuntimeCall(const OnRuntimeCall &) = delete;
    OnRuntimeCall &operator=(const OnRuntimeCall &) = delete;
};

/// Modules, compiled and loaded into this process together with a Halide runtime.
class LoadedLibrary {
public:
    enum class From { Object, StaticLibrary };

    explicit LoadedLibrary(const halyard::generators::Modules &modules, From from = From::Object);
    ~LoadedLibrary();
    LoadedLibrary(const LoadedLibrary &) = delete;
    LoadedLibrary &operator=(const LoadedLibrary &) = delete;

    template<typename Function>
    Function *get(const std::string &symbol) const {
        return reinterpret_cast<Function *>(find(symbol));
    }

private:
    void *find(const std::string &symbol) const;

    ScratchFolder folder_;
    void *handle_ = nullptr;
};
