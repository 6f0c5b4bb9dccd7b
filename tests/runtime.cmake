# Tests of the runtime: a module written by hand stands in for pdec. Included by CMakeLists.txt.
find_program(CLANG NAMES clang-${LLVM_MAJOR} clang)
add_executable(pack_module tests/stand_in/pack.c runtime/files/modfile.c runtime/files/digest.c)
target_include_directories(pack_module PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(pack_module PRIVATE pde_files pde_flags md)
set(STAND_IN ${CMAKE_BINARY_DIR}/sine_gordon_by_hand.so)
set(STAND_IN_SOURCE ${CMAKE_SOURCE_DIR}/tests/stand_in/sine_gordon.c)
set(STAND_IN_CLANG ${CLANG} -std=c11 -O1 -emit-llvm -c -ffp-contract=fast -fno-math-errno
  -fno-trapping-math -I${CMAKE_SOURCE_DIR})
add_custom_command(OUTPUT ${STAND_IN}
  COMMAND ${STAND_IN_CLANG} ${STAND_IN_SOURCE} -o stand_in32.bc
  COMMAND ${STAND_IN_CLANG} -DPDE_REAL_F64 ${STAND_IN_SOURCE} -o stand_in64.bc
  COMMAND pack_module ${STAND_IN} ${CMAKE_SOURCE_DIR}/tests/stand_in/sine_gordon.json
          ${STAND_IN_SOURCE} stand_in32.bc stand_in64.bc
  DEPENDS pack_module ${STAND_IN_SOURCE} ${CMAKE_SOURCE_DIR}/tests/stand_in/sine_gordon.json
          ${CMAKE_SOURCE_DIR}/runtime/contract/kernel_abi.h)
add_custom_target(stand_in ALL DEPENDS ${STAND_IN})

foreach(name average choice estimator held natural_terms plan)
  add_executable(run_${name} tests/session/run_${name}.c)
  target_include_directories(run_${name} PRIVATE ${GREATEST_DIR})
  target_compile_definitions(run_${name} PRIVATE STAND_IN="${STAND_IN}")
  target_link_libraries(run_${name} PRIVATE pderun_library pde_flags)
  add_dependencies(run_${name} stand_in)
  add_test(NAME run_${name} COMMAND run_${name})
endforeach()
# Points along paths need laws in time, which the stand-in has not
foreach(name paths paths_lognormal)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/${name}.so
    COMMAND pdec ${CMAKE_SOURCE_DIR}/tests/session/${name}.pde -o ${CMAKE_BINARY_DIR}/${name}.so
    DEPENDS pdec ${CMAKE_SOURCE_DIR}/tests/session/${name}.pde)
endforeach()
add_custom_target(path_modules ALL
  DEPENDS ${CMAKE_BINARY_DIR}/paths.so ${CMAKE_BINARY_DIR}/paths_lognormal.so)
add_executable(run_paths tests/session/run_paths.c)
target_include_directories(run_paths PRIVATE ${GREATEST_DIR})
target_compile_definitions(run_paths PRIVATE PATHS_MODULE="${CMAKE_BINARY_DIR}/paths.so"
  LOGNORMAL_MODULE="${CMAKE_BINARY_DIR}/paths_lognormal.so" TIMELESS_MODULE="${STAND_IN}")
target_link_libraries(run_paths PRIVATE pderun_library pde_flags)
add_dependencies(run_paths stand_in path_modules)
add_test(NAME run_paths COMMAND run_paths)
add_test(NAME run_resume_paths COMMAND sh
  ${CMAKE_SOURCE_DIR}/tests/run/resume.sh $<TARGET_FILE:pderun> ${CMAKE_BINARY_DIR}/paths.so
  ${CMAKE_BINARY_DIR}/run_resume_paths 2)
add_test(NAME run_resume_natural COMMAND ${CMAKE_COMMAND} -E env
  "PDE_OPTIONS=--optimiser=natural --adam-first=50 --average=0.2"
  sh ${CMAKE_SOURCE_DIR}/tests/run/resume.sh $<TARGET_FILE:pderun> ${STAND_IN}
  ${CMAKE_BINARY_DIR}/run_resume_natural)
foreach(name determinism heldout resume predict)
  add_test(NAME run_${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/${name}.sh
    $<TARGET_FILE:pderun> ${STAND_IN} ${CMAKE_BINARY_DIR}/run_${name})
endforeach()
add_test(NAME run_choice_resumed COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/choice.sh
  $<TARGET_FILE:pdec> $<TARGET_FILE:pderun> ${CMAKE_SOURCE_DIR}/examples
  ${CMAKE_BINARY_DIR}/run_choice_resumed)
add_test(NAME run_catalogue COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/catalogue.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/run_catalogue)
# The study, cmake --build build --target study: an hour of processor time
add_executable(study_plot study/plot.c)
target_link_libraries(study_plot PRIVATE pderun_library pde_flags)
add_custom_target(study
  COMMAND sh ${CMAKE_SOURCE_DIR}/study/study.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
          $<TARGET_FILE:study_plot> ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/study
  DEPENDS pdec pderun study_plot USES_TERMINAL VERBATIM)
add_test(NAME run_study COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/study.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> $<TARGET_FILE:study_plot> ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/run_study)
add_executable(bench_run EXCLUDE_FROM_ALL tests/bench/bench_run.c)
target_link_libraries(bench_run PRIVATE pderun_library bench_limits pde_flags)
find_program(PYTHON NAMES python3)
if(PYTHON)
  add_test(NAME cross_trace COMMAND ${PYTHON} ${CMAKE_SOURCE_DIR}/tests/cross/trace.py
    $<TARGET_FILE:pderun> ${STAND_IN} ${CMAKE_BINARY_DIR}/cross_trace)
  add_test(NAME cross_paths COMMAND ${PYTHON} ${CMAKE_SOURCE_DIR}/tests/cross/paths.py
    $<TARGET_FILE:pderun> ${CMAKE_BINARY_DIR}/paths.so ${CMAKE_BINARY_DIR}/cross_paths)
  set_tests_properties(cross_trace cross_paths PROPERTIES SKIP_RETURN_CODE 77)
  add_executable(natural_dump tests/cross/natural_dump.c)
  target_compile_options(natural_dump PRIVATE -Wall -Wextra -Wpedantic)
  target_link_libraries(natural_dump PRIVATE pde_engine)
  add_test(NAME cross_natural COMMAND ${PYTHON} ${CMAKE_SOURCE_DIR}/tests/cross/natural_jax.py
    $<TARGET_FILE:natural_dump>)
  set_tests_properties(cross_natural PROPERTIES SKIP_RETURN_CODE 77)
endif()
