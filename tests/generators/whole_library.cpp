#include "tests/generators/whole_library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "dsl/error.h"
#include "generators/outputs.h"

namespace halyard::generators {

WholeLibrary::WholeLibrary(const Modules &modules, const std::string &name) : name_(name) {
    const std::string object =
        write_modules(modules, read_output_kinds("object"), folder_.path() / name).at(0);
    const std::string shared = (folder_.path() / (name + ".so")).string();
    const std::string link = HALYARD_TEST_COMPILER " -shared -o '" + shared + "' '" + object + "'";
    if (system(link.c_str()) != 0) throw InternalError("this failed: " + link);
    handle_ = dlopen(shared.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle_) throw InternalError(dlerror());
}

WholeLibrary::~WholeLibrary() {
    if (handle_) dlclose(handle_);
}

int WholeLibrary::call(halyard_instance *instance, Buffers &buffers, int32_t scalar) const {
    const auto *metadata = find<const halide_filter_metadata_t *()>("_metadata")();
    std::vector<void *> args;
    void *context = instance;
    for (int n = 0; n < metadata->num_arguments; ++n) {
        const halide_filter_argument_t &argument = metadata->arguments[n];
        const std::string name = argument.name;
        if (name == "__user_context") {
            args.push_back(&context);
        } else if (argument.kind == halide_argument_kind_input_scalar) {
            args.push_back(&scalar);
        } else {
            args.push_back(buffers.at(name).raw_buffer());
        }
    }
    return find<int(void **)>("_argv")(args.data());
}

void *WholeLibrary::find_symbol(const std::string &symbol) const {
    void *found = dlsym(handle_, symbol.c_str());
    if (!found) throw InternalError("the library has no " + symbol);
    return found;
}

OwnInstance::OwnInstance() {
    if (halyard_instance_create(&instance_) != 0) throw InternalError(halyard_last_error());
}

}  // namespace halyard::generators
