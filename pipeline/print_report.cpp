#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "dsl/text.h"
#include "pipeline/pipeline.h"

namespace halyard::pipeline {
namespace {

/// "712 B", "4.0 MiB".
std::string readable(uint64_t bytes) {
    constexpr std::array units = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto amount = static_cast<double>(bytes);
    size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", amount,
                  units.at(unit));
    return text.data();
}

std::string hops_of(const Plan &plan, CopyKind kind, const std::string &word) {
    uint64_t hops = 0, bytes = 0;
    for (const Hop &hop : plan.hops) {
        if (hop.kind != kind || hop.at_load) continue;
        ++hops;
        bytes += hop.bytes;
    }
    return word + " " + std::to_string(hops) + (hops == 0 ? "" : " (" + readable(bytes) + ")");
}

using Row = std::vector<std::string>;

/// Columns as wide as their longest entry, two spaces apart.
std::string aligned(const std::vector<Row> &rows) {
    std::vector<size_t> widths(rows[0].size());
    for (const Row &row : rows) {
        for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::string out;
    for (const Row &row : rows) {
        std::string line;
        for (size_t i = 0; i < row.size(); ++i) {
            line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
        }
        line.erase(line.find_last_not_of(' ') + 1);
        out += "  " + line + '\n';
    }
    return out;
}

std::string word_of(CopyKind kind) {
    if (kind == CopyKind::Peer) return "peer";
    return kind == CopyKind::Upload ? "up" : "down";
}

}  // namespace

std::string print_counts(const std::string &name, const Counts &counts, const Bound &bound) {
    std::string text = name;
    const auto add = [&](const char *key, uint64_t number) {
        text += std::string(" ") + key + "=" + std::to_string(number);
    };
    add("uploads", counts.uploads);
    add("downloads", counts.downloads);
    add("peers", counts.peers);
    add("locals", counts.locals);
    add("payload", counts.payload);
    add("copies", counts.copies);
    add("staged", counts.staged);
    add("bound_hops", bound.hops);
    add("bound_payload", bound.payload);
    return text;
}

std::string print_summary(const Plan &plan) {
    const Counts &counts = plan.per_call;
    const uint32_t hops = counts.uploads + counts.downloads + counts.peers;
    const bool is_least = hops == plan.bound.hops && counts.payload == plan.bound.payload;
    return plan.graph.name + ": " + hops_of(plan, CopyKind::Upload, "up") + ", " +
           hops_of(plan, CopyKind::Download, "down") + ", " +
           hops_of(plan, CopyKind::Peer, "peer") + "; " + std::to_string(counts.copies) +
           (counts.copies == 1 ? " copy; " : " copies; ") +
           (is_least ? "the minimum"
                     : "the minimum is " + std::to_string(plan.bound.hops) + " (" +
                           readable(plan.bound.payload) + ")");
}

std::string print_transfers(const Plan &plan) {
    std::vector<Row> rows = {{"", "value", "bytes", "from", "to", "because", "gone with"}};
    for (size_t i = 0; i < plan.hops.size(); ++i) {
        const Transfer &transfer = plan.graph.transfers[i];
        const Hop &hop = plan.hops[i];
        const Value &value = plan.graph[transfer.value];
        const std::string part = value.box == transfer.box ? "" : print(transfer.box);
        rows.push_back({word_of(hop.kind) + (hop.at_load ? ", at load" : ""),
                        "%" + value.name + part, std::to_string(hop.bytes),
                        to_string(transfer.from), to_string(transfer.to), transfer.reason,
                        hop.remedy});
    }
    return rows.size() == 1 ? "  no transfer\n" : aligned(rows);
}

}  // namespace halyard::pipeline
