# Tests of the repository as a whole: what the examples say, and the style of the sources.
# Included by CMakeLists.txt; uses pdec_library, pde_flags and GREATEST_DIR of it.

add_executable(test_examples ${CMAKE_SOURCE_DIR}/tests/golden/test_examples.c)
target_include_directories(test_examples PRIVATE ${GREATEST_DIR} ${CMAKE_SOURCE_DIR}/compiler)
target_compile_definitions(test_examples PRIVATE PDE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_examples PRIVATE pdec_library pde_flags jansson)
add_test(NAME examples COMMAND test_examples)

add_test(NAME style COMMAND ${CMAKE_SOURCE_DIR}/tests/style/check.sh ${CMAKE_SOURCE_DIR})
