# The build folder is a package: find_package(Halyard) finds it by Halyard_DIR=<build folder>.

include(CMakePackageConfigHelpers)
if(HALYARD_WITH_HALIDE)
  include(${CMAKE_CURRENT_LIST_DIR}/HalyardHelpers.cmake)
endif()

# halyard_runtime is Halyard::runtime to a customer too, and halyard the command line.
set(package_targets halyard)
foreach(name options graph plan_format runtime pipeline dsl generators)
  if(TARGET halyard_${name})
    list(APPEND package_targets halyard_${name})
    set_property(TARGET halyard_${name} PROPERTY EXPORT_NAME ${name})
  endif()
endforeach()
if(HALYARD_WITH_HALIDE)
  set_property(TARGET halyard_generators PROPERTY EXPORT_NAME Generator)
endif()

export(TARGETS ${package_targets} NAMESPACE Halyard:: FILE ${PROJECT_BINARY_DIR}/HalyardTargets.cmake)
set(HALYARD_HELPERS ${CMAKE_CURRENT_LIST_DIR}/HalyardHelpers.cmake)
configure_file(${CMAKE_CURRENT_LIST_DIR}/HalyardConfig.cmake.in ${PROJECT_BINARY_DIR}/HalyardConfig.cmake @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/HalyardConfigVersion.cmake COMPATIBILITY SameMinorVersion)
