#include "generators/call_halide.h"

#include <algorithm>
#include <vector>

#include "Halide.h"
#include "dsl/error.h"

namespace halyard::generators {
namespace {

class Messages : public Halide::CompileTimeErrorReporter {
public:
    void warning(const char *text) override { warnings_.emplace_back(text); }
    [[noreturn]] void error(const char *text) override { throw Halide::CompileError(text); }

    const std::vector<std::string> &warnings() const { return warnings_; }

private:
    std::vector<std::string> warnings_;
};

/// Halide's reporter is one for the process; there is no way to ask which one is set.
Messages *current = nullptr;

struct Installed {
    explicit Installed(Messages &messages) : outer(current) { set(&messages); }
    ~Installed() { set(outer); }
    Installed(const Installed &) = delete;
    Installed &operator=(const Installed &) = delete;

    static void set(Messages *messages) {
        current = messages;
        Halide::set_custom_compile_time_error_reporter(messages);
    }

    Messages *outer;
};

/// One line, without Halide's own "Error: " and the line break at the end.
std::string one_line(std::string text) {
    for (const char *head : {"Error: ", "Warning: "}) {
        if (text.starts_with(head)) text.erase(0, std::string(head).size());
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == '.')) text.pop_back();
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

bool is_harmless(const std::string &warning) {
    return warning.find("float16 type operation is emulated") != std::string::npos;
}

}  // namespace

void call_halide(const std::string &subject, const std::function<void()> &call) {
    Messages messages;
    try {
        Installed installed(messages);
        call();
    } catch (const Halide::Error &error) {
        throw UserError(subject + ": " + one_line(error.what()));
    }
    for (const std::string &warning : messages.warnings()) {
        if (!is_harmless(warning)) throw UserError(subject + ": " + one_line(warning));
    }
}

}  // namespace halyard::generators
