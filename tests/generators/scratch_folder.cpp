#include "tests/generators/scratch_folder.h"

#include <stdlib.h>

#include <catch2/catch.hpp>
#include <string>
#include <system_error>

ScratchFolder::ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "halyard test XXXXXX").string();
    REQUIRE(mkdtemp(name.data()));
    path_ = name;
}

ScratchFolder::~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}
