# Set-up that demo and check share: sourced by bash, from the repository's root. Says what it does, and
# does nothing twice.

halyard_packages=(
    g++ ninja-build python3 python3-pip            # to build, and to fetch Halide
    libflatbuffers-dev flatbuffers-compiler        # the plan's format
    libcli11-dev                                   # command lines
    catch2                                         # tests
    libpng-dev                                     # apps/photo, apps/gallery
    opencl-c-headers ocl-icd-libopencl1 pocl-opencl-icd  # OpenCL, and a device that every machine has
)
halyard_wheels=("halide==21.0.0" "cmake>=3.28,<4")
halyard_sdk="$PWD/build/sdk"
halyard_jobs="$(nproc)"

say() { printf '\n== %s\n' "$*"; }
fail() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Debian's packages: those that are missing, and no others.
install_packages() {
    command -v dpkg-query > /dev/null ||
        fail "this script sets up Debian 12; elsewhere, build with CMake as CONTRIBUTING.md says"
    local missing=() package
    for package in "${halyard_packages[@]}"; do
        [[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2> /dev/null)" == installed ]] ||
            missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    ((EUID == 0)) || fail "packages are missing; install them, then run this again:
    sudo apt-get install ${missing[*]}"
    say "Installing ${missing[*]}"
    apt-get -qq update
    DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends -y "${missing[@]}"
}

# Halide and CMake from the Python index, into the build folder; the system's Python stays as it is.
install_wheels() {
    local stamp="$halyard_sdk/installed" wanted="${halyard_wheels[*]}"
    [[ "$(cat "$stamp" 2> /dev/null)" == "$wanted" ]] && return 0
    say "Fetching $wanted into build/sdk (170 MB)"
    rm -rf "$halyard_sdk"
    python3 -m pip --disable-pip-version-check install --quiet --no-deps --only-binary :all: \
        --root-user-action ignore --target "$halyard_sdk" "${halyard_wheels[@]}" ||
        fail "pip could not fetch $wanted"
    printf '%s' "$wanted" > "$stamp"
}

# Whether CMake has run in a folder for a source folder, which may have been moved since.
is_configured() {
    [[ -f "$1/build.ninja" ]] &&
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$2" "$1/CMakeCache.txt" 2> /dev/null
}

# configure NAME SOURCES FOLDER ARGUMENTS…: CMake's first run. Later ones ninja does by itself.
configure() {
    local name="$1" sources="$2" folder="$3"
    shift 3
    is_configured "$folder" "$sources" && return 0
    say "Configuring $name"
    local halide_cmake=("$halyard_sdk"/halide/lib*/cmake)
    local arguments=("-DHalide_DIR=${halide_cmake[0]}/Halide"
                     "-DHalideHelpers_DIR=${halide_cmake[0]}/HalideHelpers"
                     -DCMAKE_DISABLE_FIND_PACKAGE_Halide_Python=ON
                     -DCMAKE_CXX_FLAGS_DEBUG=-g1)  # all of -g makes a build a fifth longer
    command -v ccache > /dev/null && arguments+=("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    cmake --fresh --log-level=WARNING --no-warn-unused-cli "${arguments[@]}" "$@"
}

# build NAME FOLDER ARGUMENTS…
build() {
    local name="$1" folder="$2"
    shift 2
    say "Building $name"
    cmake --build "$folder" --parallel "$halyard_jobs" "$@"
}

# The photo pipeline, as a customer of the build folder: a project of its own.
build_photo() {
    configure apps/photo "$PWD/apps/photo" build/photo -S apps/photo -B build/photo -G Ninja \
        -DCMAKE_BUILD_TYPE=Release "-DHalyard_DIR=$PWD/build/dev"
    build apps/photo build/photo
}

build_gallery() {
    configure apps/gallery "$PWD/apps/gallery" build/gallery -S apps/gallery -B build/gallery -G Ninja \
        -DCMAKE_BUILD_TYPE=Release "-DHalyard_DIR=$PWD/build/dev"
    build apps/gallery build/gallery
}

install_packages
install_wheels
export PATH="$halyard_sdk/cmake/data/bin:$PATH"
