# Whole runs of modules that pdec makes of examples/, and the benchmark. Included by
# tests/repository.cmake.

find_program(PYTHON NAMES python3)
if(PYTHON)
  add_test(NAME cross_examples COMMAND ${PYTHON} ${CMAKE_SOURCE_DIR}/tests/cross/examples.py
    $<TARGET_FILE:pdec> $<TARGET_FILE:pderun> ${CMAKE_SOURCE_DIR}/examples
    ${CMAKE_BINARY_DIR}/cross_examples)
  set_tests_properties(cross_examples PROPERTIES SKIP_RETURN_CODE 77 LABELS long TIMEOUT 1500)
endif()

add_test(NAME run_lbfgs COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/lbfgs.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/run_lbfgs)
add_test(NAME run_balance COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/balance.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/run_balance)
add_test(NAME run_attack COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/attack.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_BINARY_DIR}/run_attack)
add_test(NAME run_report COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/report.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_BINARY_DIR}/run_report)
add_test(NAME run_expect COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/expect.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_BINARY_DIR}/run_expect)
add_test(NAME run_linear COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/linear.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_BINARY_DIR}/run_linear)
add_test(NAME run_forms COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/forms.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_BINARY_DIR}/run_forms)
add_test(NAME run_faults COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/faults.sh $<TARGET_FILE:pderun>
  ${CMAKE_BINARY_DIR}/sine_gordon_by_hand.so ${CMAKE_BINARY_DIR}/run_faults)
add_test(NAME run_nonfinite COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/nonfinite.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_BINARY_DIR}/run_nonfinite)

add_executable(graft_module ${CMAKE_SOURCE_DIR}/tests/stand_in/graft.c)
target_include_directories(graft_module PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(graft_module PRIVATE pde_files pde_flags)
add_test(NAME run_oracle COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/oracle.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> $<TARGET_FILE:graft_module> ${CMAKE_BINARY_DIR}/run_oracle)
if(NOT PDE_SANITIZE)
  add_test(NAME run_memory COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/memory.sh $<TARGET_FILE:pdec>
    $<TARGET_FILE:pderun> ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/run_memory)
  set_tests_properties(run_memory PROPERTIES SKIP_RETURN_CODE 77)
endif()

# cmake --build build --target bench
add_library(bench_limits STATIC EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/tests/bench/limits.c)
target_compile_options(bench_limits PRIVATE -O3 -march=native -ffp-contract=fast -Wno-psabi)
target_include_directories(bench_limits PUBLIC ${CMAKE_SOURCE_DIR}/tests/bench)
target_link_libraries(bench_limits PUBLIC pde_engine)
add_custom_target(bench
  COMMAND ${CMAKE_SOURCE_DIR}/tests/bench/bench.sh $<TARGET_FILE:pdec> $<TARGET_FILE:bench_run>
          ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/bench
  DEPENDS pdec bench_run USES_TERMINAL VERBATIM)
