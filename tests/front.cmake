# Tests that need the compiler only. Included by CMakeLists.txt.
include(CTest)
find_path(GREATEST_DIR greatest.h)
if(NOT GREATEST_DIR)
  set(GREATEST_DIR ${CMAKE_SOURCE_DIR}/tests)
endif()

add_executable(test_lang tests/lang/run_lang.c)
target_include_directories(test_lang PRIVATE ${GREATEST_DIR} ${CMAKE_SOURCE_DIR}/compiler)
target_compile_definitions(test_lang PRIVATE PDE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
target_link_libraries(test_lang PRIVATE pdec_library pde_flags)
add_test(NAME lang COMMAND test_lang)

add_executable(test_front tests/unit/test_front.c)
target_include_directories(test_front PRIVATE ${GREATEST_DIR} ${CMAKE_SOURCE_DIR}/compiler)
target_compile_definitions(test_front PRIVATE PDE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
  PDEC_PROGRAM="$<TARGET_FILE:pdec>")
target_link_libraries(test_front PRIVATE pdec_library pde_flags)
add_dependencies(test_front pdec)
add_test(NAME front COMMAND test_front)

# The symbolic core against numbers.
foreach(name symbolic sources wellposed oracle math)
  add_executable(test_${name} tests/symbolic/test_${name}.c tests/symbolic/lab.c tests/symbolic/tree.c)
  target_include_directories(test_${name} PRIVATE ${GREATEST_DIR} ${CMAKE_SOURCE_DIR}/compiler)
  target_compile_definitions(test_${name} PRIVATE PDE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(test_${name} PRIVATE pdec_library pde_flags)
  add_test(NAME ${name} COMMAND test_${name})
endforeach()
target_sources(test_math PRIVATE runtime/report/html.c runtime/files/utf8.c)

include(tests/repository.cmake)
include(tests/fault.cmake)
include(tests/cuda/soft/device.cmake)

# Generated kernels, built by the system's compiler, against the oracle.
add_executable(test_kernels tests/kernels/test_kernels.c tests/kernels/kernel_rig.c tests/kernels/kernel_shot.c)
target_include_directories(test_kernels PRIVATE ${GREATEST_DIR} ${CMAKE_SOURCE_DIR}/compiler)
target_compile_definitions(test_kernels PRIVATE PDE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" _GNU_SOURCE)
target_link_libraries(test_kernels PRIVATE pdec_library pde_flags ${CMAKE_DL_LIBS})
add_test(NAME kernels COMMAND test_kernels)

# The fuzz target is replayed over its corpus by an ordinary main(); PDE_FUZZ builds the fuzzer too.
add_executable(replay_parse tests/fuzz/fuzz_parse.c tests/fuzz/replay.c)
target_link_libraries(replay_parse PRIVATE pdec_library pde_flags)
add_test(NAME replay_parse COMMAND replay_parse ${CMAKE_SOURCE_DIR}/examples
  ${CMAKE_SOURCE_DIR}/tests/lang/err ${CMAKE_SOURCE_DIR}/tests/lang/ok
  ${CMAKE_SOURCE_DIR}/tests/lang/limit ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus)
if(PDE_FUZZ)
  add_executable(fuzz_parse tests/fuzz/fuzz_parse.c)
  target_link_libraries(fuzz_parse PRIVATE pdec_library pde_flags)
  target_link_options(fuzz_parse PRIVATE -fsanitize=fuzzer)
endif()
