#include "generators/outputs.h"

#include <stdlib.h>

#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include "dsl/error.h"
#include "dsl/text.h"
#include "generators/call_halide.h"
#include "generators/function_name.h"
#include "pipeline/pipeline.h"
#include "pipeline/print_dot.h"

namespace halyard::generators {
namespace {

using Halide::Module;
using Halide::OutputFileType;
using std::filesystem::path;

/// What Halide makes of the entry's module alone, which has the signature.
const std::map<std::string, OutputFileType> signature_kinds = {
    {"c_header", OutputFileType::c_header},
    {"function_info_header", OutputFileType::function_info_header},
    {"python_extension", OutputFileType::python_extension},
    {"registration", OutputFileType::registration},
};

/// What Halide makes of all the code.
const std::map<std::string, OutputFileType> code_kinds = {
    {"assembly", OutputFileType::assembly},
    {"bitcode", OutputFileType::bitcode},
    {"llvm_assembly", OutputFileType::llvm_assembly},
    {"object", OutputFileType::object},
    {"stmt", OutputFileType::stmt},
};

std::string names_of_kinds() {
    std::set<std::string> names = {"dot", "plan", "plan_text", "static_library"};
    for (const auto *kinds : {&signature_kinds, &code_kinds}) {
        for (const auto &[name, type] : *kinds) names.insert(name);
    }
    std::string list;
    for (const std::string &name : names) list += (list.empty() ? "" : ", ") + name;
    return list;
}

bool is_of_halide_alone(const std::string &name) {
    for (const auto &[type, info] : Halide::Internal::get_output_info(Halide::get_host_target())) {
        if (info.name == name) return true;
    }
    return false;
}

void add_kind(OutputKinds &kinds, const std::string &name) {
    if (name == "plan") {
        kinds.plan = true;
    } else if (name == "plan_text") {
        kinds.plan_text = true;
    } else if (name == "dot") {
        kinds.dot = true;
    } else if (name == "static_library") {
        kinds.of_halide.insert(OutputFileType::static_library);
    } else if (auto signature = signature_kinds.find(name); signature != signature_kinds.end()) {
        kinds.of_halide.insert(signature->second);
    } else if (auto code = code_kinds.find(name); code != code_kinds.end()) {
        kinds.of_halide.insert(code->second);
    } else if (is_of_halide_alone(name)) {
        throw UserError(
            "output '" + name +
            "' is made for one Halide pipeline, not for a library of several kernels: ask for " +
            names_of_kinds());
    } else {
        throw UserError("output '" + name + "' is unknown: ask for " + names_of_kinds());
    }
}

path folder_for_temporaries() {
    path folder = "/tmp";
    for (const char *variable : {"TEMPDIR", "TEMP", "TMP", "TMPDIR"}) {
        if (const char *named = getenv(variable)) folder = named;
    }
    std::error_code unknown;
    if (std::filesystem::is_directory(folder, unknown)) return folder;
    throw UserError("the folder for temporary files, '" + folder.string() +
                    "', is none: let TMPDIR name one");
}

/// A folder that is removed with all that is in it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::string name = (folder_for_temporaries() / "halyard-XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw UserError("no folder for temporary files can be made at '" + name + "'");
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;

    const path &get() const { return path_; }

private:
    path path_;
};

path with_extension(const path &base, const std::string &extension) {
    return path(base.string() + extension);
}

void write_bytes(const path &file, const char *bytes, size_t size) {
    std::ofstream stream(file, std::ios::binary);
    stream.write(bytes, static_cast<std::streamsize>(size));
    stream.close();
    if (!stream) throw UserError("'" + file.string() + "' cannot be written");
}

void compile(const Module &module, const std::string &subject,
             const std::map<OutputFileType, std::string> &files) {
    call_halide(subject, [&] { module.compile(files); });
}

/// Each kernel is an object of its own, so that a change of one leaves the others' bytes alone.
void write_static_library(const Modules &modules, const path &file) {
    TemporaryFolder folder;
    std::vector<std::string> objects;
    const auto add = [&](const Module &module, const std::string &subject) {
        objects.push_back((folder.get() / (symbol_prefix(module.name()) + ".o")).string());
        compile(module, subject, {{OutputFileType::object, objects.back()}});
    };
    add(modules.entry, modules.subject());
    for (const KernelModule &kernel : modules.kernels) add(kernel.module, kernel.subject);
    call_halide(modules.subject(), [&] {
        std::filesystem::remove(file);
        Halide::create_static_library(objects, modules.entry.target(), file.string());
    });
}

}  // namespace

OutputKinds read_output_kinds(const std::string &list) {
    OutputKinds kinds;
    for (size_t start = 0; start <= list.size();) {
        const size_t end = std::min(list.find(',', start), list.size());
        add_kind(kinds, list.substr(start, end - start));
        start = end + 1;
    }
    return kinds;
}

std::vector<path> write_modules(const Modules &modules, const OutputKinds &kinds,
                                const path &base) {
    const auto infos = Halide::Internal::get_output_info(modules.entry.target());
    std::map<OutputFileType, std::string> of_signature, of_code;
    std::vector<path> written;
    for (OutputFileType type : kinds.of_halide) {
        const auto &info = infos.at(type);
        written.push_back(with_extension(base, info.extension));
        if (type == OutputFileType::static_library) {
            write_static_library(modules, written.back());
        } else {
            auto &files = signature_kinds.count(info.name) ? of_signature : of_code;
            files[type] = written.back().string();
        }
    }
    if (!of_signature.empty()) compile(modules.entry, modules.subject(), of_signature);
    if (!of_code.empty()) compile(merge(modules), modules.subject(), of_code);
    if (kinds.plan) {
        written.push_back(with_extension(base, ".plan"));
        write_bytes(written.back(), reinterpret_cast<const char *>(modules.plans.data()),
                    modules.plans.size());
    }
    return written;
}

path write_plan_text(const pipeline::Plan &plan, const path &base) {
    std::string text = print(plan.graph);
    std::istringstream rest(pipeline::print(plan).substr(text.size()));
    for (std::string line; std::getline(rest, line);) text += "# " + line + "\n";
    const path file = with_extension(base, ".plan.txt");
    write_bytes(file, text.data(), text.size());
    return file;
}

path write_dot(const pipeline::Plan &plan, const path &base) {
    const std::string text = pipeline::print_dot(plan);
    const path file = with_extension(base, ".dot");
    write_bytes(file, text.data(), text.size());
    return file;
}

}  // namespace halyard::generators
