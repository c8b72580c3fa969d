#include "runtime/blob.h"

#include <cstring>

#include "HalideRuntime.h"
#include "runtime/guard.h"
#include "runtime/verify_library.h"

namespace halyard::runtime {

namespace {

constexpr uint32_t format_version = 1;
constexpr uint8_t magic[8] = {'H', 'A', 'L', 'Y', 'A', 'R', 'D', 0};

uint64_t fnv1a(std::span<const uint8_t> bytes, uint64_t hash) {
    for (uint8_t byte : bytes) {
        hash = (hash ^ byte) * 0x100000001b3;
    }
    return hash;
}

/// Of a blob, without the checksum itself, which ends the header.
uint64_t checksum_over(std::span<const uint8_t> blob) {
    constexpr size_t end = sizeof(fbs::Header);
    const uint64_t head = fnv1a(blob.first(end - sizeof(uint64_t)), 0xcbf29ce484222325);
    return fnv1a(blob.subspan(end), head);
}

int damaged(const char *what) {
    return set_error(halide_error_code_internal_error, "the library's plan is damaged: %s", what);
}

int check_header(const fbs::Header &header, std::span<const uint8_t> bytes) {
    if (memcmp(header.magic()->data(), magic, sizeof(magic)) != 0) {
        return damaged("it does not start as a plan does");
    }
    if (header.version() != format_version) {
        return set_error(halide_error_code_internal_error,
                         "the library's plan has version %u, but this runtime reads version %u",
                         header.version(), format_version);
    }
    if (header.size() != bytes.size()) {
        return damaged("it has another size than it says");
    }
    if (header.data() < sizeof(fbs::Header) || header.data() > bytes.size()) {
        return damaged("its data starts outside of it");
    }
    if (checksum_over(bytes) != header.checksum()) {
        return damaged("its checksum is wrong");
    }
    return 0;
}

}  // namespace

int open_blob(const halide_buffer_t *plans, Blob &blob) {
    if (!plans || !plans->host || plans->dimensions != 1 || !plans->dim) {
        return damaged("it is no buffer of bytes");
    }
    const std::span<const uint8_t> bytes(plans->host, static_cast<size_t>(plans->dim[0].extent));
    if (bytes.size() < sizeof(fbs::Header)) {
        return damaged("it is shorter than its header");
    }
    if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(fbs::Header) != 0) {
        return damaged("its address is no multiple of 8");
    }
    const auto &header = *reinterpret_cast<const fbs::Header *>(bytes.data());
    if (int code = check_header(header, bytes)) {
        return code;
    }
    const std::span<const uint8_t> tables =
        bytes.subspan(sizeof(header), header.data() - sizeof(header));
    // A table takes 4 bytes at least; the nesting of the schema is 5.
    flatbuffers::Verifier verifier(tables.data(), tables.size(), 16,
                                   static_cast<flatbuffers::uoffset_t>(tables.size() / 4 + 1));
    if (!fbs::VerifyLibraryBuffer(verifier)) {
        return damaged("it is no FlatBuffer of a library");
    }
    blob.library = fbs::GetLibrary(tables.data());
    blob.data = bytes.subspan(header.data());
    return guarded([&] { return verify_library(*blob.library, blob.data.size()); });
}

uint64_t checksum_of(const halide_buffer_t *plans) {
    fbs::Header header;
    if (plans->dimensions != 1 || !plans->dim ||
        static_cast<size_t>(plans->dim[0].extent) < sizeof(header)) {
        return 0;
    }
    memcpy(&header, plans->host, sizeof(header));
    return header.checksum();
}

}  // namespace halyard::runtime
