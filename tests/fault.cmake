# Out of memory at every allocation, and arbitrary bytes through the whole compiler. Included by
# tests/front.cmake after tests/repository.cmake.

add_executable(test_allocations ${CMAKE_SOURCE_DIR}/tests/fault/test_allocations.c)
target_include_directories(test_allocations PRIVATE ${GREATEST_DIR})
target_compile_definitions(test_allocations PRIVATE PDE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" _GNU_SOURCE)
target_link_libraries(test_allocations PRIVATE pdec_library pde_flags)
add_test(NAME allocations COMMAND test_allocations)
add_test(NAME allocations_all COMMAND test_allocations all)
set_tests_properties(allocations_all PROPERTIES LABELS long)

add_executable(replay_compile ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_compile.c
  ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.c)
target_link_libraries(replay_compile PRIVATE pdec_library pde_flags)
add_test(NAME replay_compile COMMAND replay_compile ${CMAKE_SOURCE_DIR}/examples
  ${CMAKE_SOURCE_DIR}/tests/lang/ok ${CMAKE_SOURCE_DIR}/tests/lang/err
  ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus)
if(PDE_FUZZ)
  add_executable(fuzz_compile ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_compile.c)
  target_link_libraries(fuzz_compile PRIVATE pdec_library pde_flags)
  target_link_options(fuzz_compile PRIVATE -fsanitize=fuzzer)
endif()

# Both fuzzers for a few seconds; skipped where clang has no fuzzer runtime.
string(REPLACE ";" " " FUZZ_SOURCES "${PDEC_SOURCES}")
add_test(NAME fuzz_short COMMAND ${CMAKE_SOURCE_DIR}/tests/fuzz/short.sh ${PDE_CLANG} ${CMAKE_SOURCE_DIR}
  ${GENERATED} ${CMAKE_BINARY_DIR}/fuzz_short 20 "${FUZZ_SOURCES}")
set_tests_properties(fuzz_short PROPERTIES SKIP_RETURN_CODE 77)
