# Headers that many files read, precompiled once: half of what a build with clang at -O0 has to do. For the presets of
# sanitizers, fuzzing and coverage. Release does without, so that each file has to include what it uses; clang-tidy too,
# since it would look at all of them for each file.
#
# Not target_precompile_headers: it names files of this clone, so that another clone finds nothing in the compiler cache.
# Here all paths are the system's, or relative to the build folder.
option(KUBE_EVENTS_PRELUDE "Precompile headers that many files read (clang with Ninja only)" OFF)
if(NOT KUBE_EVENTS_PRELUDE)
  return()
endif()
if(NOT (CMAKE_CXX_COMPILER_ID MATCHES Clang AND CMAKE_GENERATOR STREQUAL Ninja))
  message(FATAL_ERROR "KUBE_EVENTS_PRELUDE needs clang and Ninja: this is ${CMAKE_CXX_COMPILER_ID} with ${CMAKE_GENERATOR}")
endif()

set(headers)
foreach(header IN ITEMS
    algorithm chrono condition_variable filesystem fstream functional iostream map memory mutex optional random set
    sstream stop_token string string_view thread unordered_map variant vector nlohmann/json.hpp tl/expected.hpp)
  list(APPEND headers -include ${header})
endforeach()
find_file(KUBE_EVENTS_LAST_HEADER gmock/gmock.h REQUIRED)
separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_DEBUG}")

# As GTest::gtest says it, so that what is read once is right for all.
target_compile_definitions(kube_events_settings INTERFACE GTEST_HAS_PTHREAD=1)
add_custom_command(OUTPUT prelude.pch DEPFILE prelude.d VERBATIM WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
  COMMENT "Precompiling headers"
  COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${CMAKE_CXX_COMPILER} ${flags} ${CMAKE_CXX20_STANDARD_COMPILE_OPTION}
    -DGTEST_HAS_PTHREAD=1 -fpch-instantiate-templates -Xclang -fno-pch-timestamp ${headers}
    -MD -MT prelude.pch -MF prelude.d -x c++-header -c ${KUBE_EVENTS_LAST_HEADER} -o prelude.pch)
add_custom_target(prelude DEPENDS prelude.pch)
add_dependencies(kube_events_settings prelude)
# Not for shared libraries, whose code is of another kind.
set(is_static "$<NOT:$<BOOL:$<TARGET_PROPERTY:POSITION_INDEPENDENT_CODE>>>")
target_compile_options(kube_events_settings INTERFACE
  "$<${is_static}:SHELL:-include-pch prelude.pch -Xclang -fno-pch-timestamp>")
