#include "tests/generators/loaded_library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <catch2/catch.hpp>

#include "generators/outputs.h"

using namespace halyard::generators;

namespace {

std::function<int(const RuntimeCall &)> action;

void shell(const std::string &command) {
    INFO(command);
    REQUIRE(system(command.c_str()) == 0);
}

std::string quoted(const std::filesystem::path &path) {
    return "'" + path.string() + "'";
}

/// One Halide runtime for all libraries of this test program.
const std::filesystem::path &halide_runtime() {
    static const ScratchFolder folder;
    static const std::filesystem::path file = [] {
        const std::filesystem::path path = folder.path() / "halide_runtime.a";
        Halide::compile_standalone_runtime(
            {{Halide::OutputFileType::static_library, path.string()}}, Halide::get_host_target());
        return path;
    }();
    return file;
}

}  // namespace

extern "C" int halyard_call(void *user_context, const halide_buffer_t *plans, void *const *kernels,
                            halide_buffer_t *const *buffers, void *const *scalars) {
    return action({user_context, plans, kernels, buffers, scalars});
}

int RuntimeCall::run(size_t index, void *context, std::vector<void *> args) const {
    return reinterpret_cast<int (*)(void *, void **)>(kernels[index])(context, args.data());
}

OnRuntimeCall::OnRuntimeCall(std::function<int(const RuntimeCall &)> does) {
    action = std::move(does);
}
OnRuntimeCall::~OnRuntimeCall() {
    action = nullptr;
}

LoadedLibrary::LoadedLibrary(const Modules &modules, From from) {
    const OutputKinds kinds = read_output_kinds(from == From::Object ? "object" : "static_library");
    const std::filesystem::path compiled =
        write_modules(modules, kinds, folder_.path() / "lib").at(0);
    const std::filesystem::path shared = folder_.path() / "lib.so";
    shell(std::string(HALYARD_TEST_COMPILER) + " -shared -Wl,-Bsymbolic -Wl,--whole-archive -o " +
          quoted(shared) + " " + quoted(compiled) + " -Wl,--no-whole-archive " +
          quoted(halide_runtime()) + " -ldl -lpthread");
    handle_ = dlopen(shared.c_str(), RTLD_NOW | RTLD_LOCAL);
    INFO(dlerror());
    REQUIRE(handle_);
}

LoadedLibrary::~LoadedLibrary() {
    if (handle_) dlclose(handle_);
}

void *LoadedLibrary::find(const std::string &symbol) const {
    void *found = dlsym(handle_, symbol.c_str());
    INFO(symbol);
    REQUIRE(found);
    return found;
}
