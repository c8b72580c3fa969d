# What customers build libraries with. Needs Halyard's targets and Halide's helpers.

# add_halyard_generator(TARGET SOURCES … [LINK_LIBRARIES …])
#
# An executable of one or several generators, registered with HALYARD_REGISTER_GENERATOR. It takes the flags of Halide's own, so
# that Halide's add_halide_library() accepts it too.
function(add_halyard_generator TARGET)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "SOURCES;LINK_LIBRARIES")
  _halyard_refuse_unknown(add_halyard_generator)
  if(NOT ARG_SOURCES)
    message(FATAL_ERROR "add_halyard_generator(${TARGET}): SOURCES is missing")
  endif()
  add_executable(${TARGET} ${ARG_SOURCES})
  target_link_libraries(${TARGET} PRIVATE Halyard::Generator ${ARG_LINK_LIBRARIES})
endfunction()

# add_halyard_library(TARGET FROM generator
#   [GENERATOR name] [FUNCTION_NAME name] [NAMESPACE name] [USE_RUNTIME target]
#   [PARAMS name=value …] [TARGETS target] [FEATURES feature …] [DEPENDS …]
#   [PLAN var] [PLAN_TEXT var] [REGISTRATION var] [PYTHON_EXTENSION var] [STMT var] [DOT var])
#
# A library TARGET with the header TARGET.h, of one pipeline. It brings Halyard's runtime and Halide's (TARGET.runtime unless
# USE_RUNTIME names one). The arguments are those of add_halide_library(); each `var` is set to the path of a file that is written too.
# C functions that the pipeline calls are linked by the program that uses it.
function(add_halyard_library TARGET)
  set(extra_outputs PLAN PLAN_TEXT REGISTRATION PYTHON_EXTENSION STMT DOT)
  cmake_parse_arguments(PARSE_ARGV 1 ARG ""
    "FROM;GENERATOR;FUNCTION_NAME;NAMESPACE;USE_RUNTIME;${extra_outputs}" "PARAMS;TARGETS;FEATURES;DEPENDS")
  _halyard_refuse_unknown(add_halyard_library)
  if(NOT TARGET "${ARG_FROM}")
    message(FATAL_ERROR "add_halyard_library(${TARGET}): FROM '${ARG_FROM}' is no target: name one of add_halyard_generator()")
  endif()
  _halyard_target(target "${ARG_TARGETS}" "${ARG_FEATURES}" "${ARG_NAMESPACE}")
  if(NOT ARG_GENERATOR)
    set(ARG_GENERATOR ${TARGET})
  endif()
  if(NOT ARG_FUNCTION_NAME)
    set(ARG_FUNCTION_NAME ${TARGET})
  endif()
  set(function ${ARG_FUNCTION_NAME})
  if(ARG_NAMESPACE)
    set(function ${ARG_NAMESPACE}::${function})
  endif()

  set(folder ${CMAKE_CURRENT_BINARY_DIR})
  set(kinds static_library c_header)
  set(files ${folder}/${TARGET}.a ${folder}/${TARGET}.h)
  set(PLAN_extension .plan)
  set(PLAN_TEXT_extension .plan.txt)
  set(REGISTRATION_extension .registration.cpp)
  set(PYTHON_EXTENSION_extension .py.cpp)
  set(STMT_extension .stmt)
  set(DOT_extension .dot)
  foreach(output IN LISTS extra_outputs)
    if(ARG_${output})
      string(TOLOWER ${output} kind)
      list(APPEND kinds ${kind})
      list(APPEND files ${folder}/${TARGET}${${output}_extension})
      set(${ARG_${output}} ${folder}/${TARGET}${${output}_extension} PARENT_SCOPE)
    endif()
  endforeach()
  list(JOIN kinds "," kinds)
  add_custom_command(
    OUTPUT ${files}
    COMMAND ${ARG_FROM} -g ${ARG_GENERATOR} -f ${function} -n ${TARGET} -o ${folder} -e ${kinds}
            target=${target}-no_runtime ${ARG_PARAMS}
    DEPENDS ${ARG_FROM} ${ARG_DEPENDS}
    COMMENT "Compiling pipeline ${TARGET} for ${target}"
    VERBATIM)
  add_custom_target(${TARGET}.update DEPENDS ${files})

  if(NOT ARG_USE_RUNTIME)
    set(ARG_USE_RUNTIME ${TARGET}.runtime)
    add_halide_runtime(${ARG_USE_RUNTIME} NO_DEFAULT_TARGETS TARGETS ${target})
  endif()
  set_property(TARGET ${ARG_USE_RUNTIME} APPEND PROPERTY Halide_RT_TARGETS ${target})

  add_library(${TARGET} STATIC IMPORTED GLOBAL)
  add_dependencies(${TARGET} ${TARGET}.update ${ARG_USE_RUNTIME})
  set_target_properties(${TARGET} PROPERTIES
    IMPORTED_LOCATION ${folder}/${TARGET}.a
    Halide_LIBRARY_RUNTIME_TARGET ${ARG_USE_RUNTIME}
    Halide_LIBRARY_FUNCTION_NAME ${function})
  if(ARG_PYTHON_EXTENSION)
    set_property(TARGET ${TARGET} PROPERTY Halide_LIBRARY_PYTHON_EXTENSION_CPP ${folder}/${TARGET}.py.cpp)
  endif()
  target_include_directories(${TARGET} INTERFACE ${folder})
  # The entry calls Halyard's runtime, and what both need is Halide's: archives in this order.
  target_link_libraries(${TARGET} INTERFACE Halyard::runtime ${ARG_USE_RUNTIME})
endfunction()

# The one target string: TARGETS, or what Halide compiles for by default, and features.
function(_halyard_target OUT TARGETS FEATURES NAMESPACE)
  if(NOT TARGETS)
    set(TARGETS ${Halide_TARGET})
  endif()
  list(LENGTH TARGETS count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "add_halyard_library: TARGETS '${TARGETS}' are ${count}: name one, and make a library for each")
  endif()
  if(NAMESPACE)
    list(APPEND FEATURES c_plus_plus_name_mangling)
  endif()
  string(REGEX REPLACE "^cmake" "${Halide_CMAKE_TARGET}" target "${TARGETS}")
  list(JOIN FEATURES "-" features)
  string(REGEX REPLACE "-$" "" target "${target}-${features}")
  set(${OUT} ${target} PARENT_SCOPE)
endfunction()

# Arguments of add_halide_library() that a pipeline with placement has no use for, or can not have.
set(_halyard_only_of_halide
  ASSEMBLY AUTOSCHEDULER BITCODE COMPILER_LOG CONCEPTUAL_STMT CONCEPTUAL_STMT_HTML C_BACKEND C_SOURCE DEVICE_CODE FEATURIZATION
  FUNCTION_INFO_HEADER GRADIENT_DESCENT HEADER HLPIPE LLVM_ASSEMBLY NO_DL_LIBS NO_THREADS PLUGINS PYTORCH_WRAPPER SCHEDULE
  STMT_HTML)

macro(_halyard_refuse_unknown FUNCTION)
  foreach(argument IN LISTS ARG_UNPARSED_ARGUMENTS)
    if(argument IN_LIST _halyard_only_of_halide)
      message(FATAL_ERROR "${FUNCTION}(${TARGET}): ${argument} of Halide's add_halide_library() is not taken: leave it out")
    endif()
  endforeach()
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "${FUNCTION}(${TARGET}): no such argument: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  # A list may be empty, as in PARAMS ${none}.
  list(REMOVE_ITEM ARG_KEYWORDS_MISSING_VALUES SOURCES LINK_LIBRARIES PARAMS TARGETS FEATURES DEPENDS)
  if(ARG_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "${FUNCTION}(${TARGET}): a value is missing after ${ARG_KEYWORDS_MISSING_VALUES}")
  endif()
endmacro()
