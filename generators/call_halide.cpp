#include "generators/call_halide.h"

#include <algorithm>
#include <array>
#include <utility>
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

/// Warnings that a right program may give rise to; all others tell of code that goes wrong.
bool is_harmless(const std::string &warning) {
    constexpr std::array harmless = {
        "float16 type operation is emulated",
        "Generators will always produce code that orders all Inputs before all Outputs",
        "Unrolling a for loop of extent 1",
        "abs of an unsigned type is a no-op",
        "It is meaningless to",  // split, fuse or rename what is inlined
    };
    const auto is_in = [&](const char *text) { return warning.find(text) != std::string::npos; };
    return std::ranges::any_of(harmless, is_in);
}

/// What to do about errors in which Halide does not say so.
std::string with_remedy(std::string error) {
    if (error.empty()) {
        return "Halide's compiler stops and says nothing: it is known to where vectorize() has a "
               "guarded tail and reads backwards, so try another TailStrategy there";
    }
    if (error.find("may be accessed in an unbounded way") != std::string::npos) {
        error += ": clamp the index";
    }
    return error;
}

std::vector<std::string> harmless_warnings;

}  // namespace

void call_halide(const std::string &subject, const std::function<void()> &call) {
    Messages messages;
    try {
        Installed installed(messages);
        call();
    } catch (const Halide::Error &error) {
        throw UserError(subject + ": " + with_remedy(one_line(error.what())));
    }
    for (const std::string &warning : messages.warnings()) {
        const std::string text = subject + ": " + one_line(warning);
        if (!is_harmless(warning)) throw UserError(text);
        harmless_warnings.push_back(text);
    }
}

void call_generator(const std::string &subject, const std::function<void()> &call) {
    call_halide(subject, [&] {
        try {
            call();
        } catch (const Halide::Error &) {
            throw;
        } catch (const UserError &) {
            throw;
        } catch (const InternalError &) {
            throw;
        } catch (const std::exception &error) {
            throw UserError(subject + " throws an exception: " + error.what());
        }
    });
}

std::vector<std::string> take_warnings() {
    return std::exchange(harmless_warnings, {});
}

}  // namespace halyard::generators
