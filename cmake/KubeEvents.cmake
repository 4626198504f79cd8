include(GoogleTest OPTIONAL)

# Compiler settings that every target of the project has.
add_library(kube_events_settings INTERFACE)
target_compile_features(kube_events_settings INTERFACE cxx_std_20)
target_compile_options(kube_events_settings INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast)
# GCC 12 warns about the standard library's own code: std::string (GCC bug 105329) and variants that hold strings.
target_compile_options(kube_events_settings INTERFACE
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-maybe-uninitialized>")
target_include_directories(kube_events_settings INTERFACE ${PROJECT_SOURCE_DIR}/include)

# kube_events_library(NAME SOURCES ... [USES project libraries] [PUBLIC third party] [PRIVATE third party])
# makes the static library kube_events_NAME, known as kube_events::NAME.
function(kube_events_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;USES;PUBLIC;PRIVATE")
  set(target kube_events_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(kube_events::${name} ALIAS ${target})
  list(TRANSFORM arg_USES PREPEND kube_events::)
  target_link_libraries(${target} PUBLIC ${arg_USES} ${arg_PUBLIC} PRIVATE kube_events_settings ${arg_PRIVATE})
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR}/include)
endfunction()

# Builds the programs of all tests with the label threads.
add_custom_target(threads)

# kube_events_test(NAME SOURCES ... [LINK targets] [LABEL label] [THREADS])
# makes one GoogleTest program; each of its tests becomes a ctest named NAME.Suite.Test with a label (default: unit) and,
# with THREADS, the label threads: these have threads of their own, so that ThreadSanitizer may find something.
function(kube_events_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "THREADS" "LABEL;TIMEOUT" "SOURCES;LINK")
  if(NOT arg_LABEL)
    set(arg_LABEL unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  set(target ${name}_test)
  add_executable(${target} ${arg_SOURCES})
  target_link_libraries(${target} PRIVATE kube_events_settings ${arg_LINK} GTest::gmock GTest::gtest_main)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  # A third of the time that a test takes to compile, and it is the product that has to be optimised.
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  gtest_discover_tests(${target} TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS ${arg_LABEL} TIMEOUT ${arg_TIMEOUT})
  if(arg_THREADS)
    add_dependencies(threads ${target})
    # gtest_discover_tests cannot pass a list on, so the second label is set when ctest has read the tests.
    set(labels ${CMAKE_CURRENT_BINARY_DIR}/${target}_labels.cmake)
    file(CONFIGURE OUTPUT ${labels} @ONLY
      CONTENT "if(@target@_TESTS)
  set_tests_properties(\${@target@_TESTS} PROPERTIES LABELS \"@arg_LABEL@;threads\")
endif()
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labels})
  endif()
endfunction()
