# Tests that need no more than the libraries: what the examples say, the style of the sources, the
# runtime's files and texts, the engine. Included by tests/front.cmake.

function(pde_test name)
  cmake_parse_arguments(T "" "" "SOURCES;LIBRARIES;INCLUDE" ${ARGN})
  list(TRANSFORM T_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/tests/)
  add_executable(test_${name} ${T_SOURCES})
  target_include_directories(test_${name} PRIVATE ${GREATEST_DIR} ${CMAKE_SOURCE_DIR} ${T_INCLUDE})
  target_compile_definitions(test_${name} PRIVATE PDE_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_link_libraries(test_${name} PRIVATE ${T_LIBRARIES})
  add_test(NAME ${name} COMMAND test_${name})
endfunction()

pde_test(examples SOURCES golden/test_examples.c INCLUDE ${CMAKE_SOURCE_DIR}/compiler
  LIBRARIES pdec_library pde_flags jansson)
add_test(NAME style COMMAND ${CMAKE_SOURCE_DIR}/tests/style/check.sh ${CMAKE_SOURCE_DIR})

# The runtime's files, with every system call able to fail.
set(FILE_SOURCES
  files/array files/buffer train/checkpoint options/config files/digest report/html files/io files/json
  report/log files/modfile files/npy files/number options/option report/plot report/progress report/report
  report/report_style files/safetensors files/status files/utf8)
list(TRANSFORM FILE_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/runtime/)
list(TRANSFORM FILE_SOURCES APPEND .c)
add_library(pde_faults STATIC ${FILE_SOURCES} ${CMAKE_SOURCE_DIR}/compiler/base/suggest.c)
target_include_directories(pde_faults PUBLIC ${CMAKE_SOURCE_DIR}/runtime)
target_compile_definitions(pde_faults PUBLIC PDE_FAULTS)
target_link_libraries(pde_faults PUBLIC jansson md m ${CMAKE_DL_LIBS} PRIVATE pde_flags)
foreach(name array_files checkpoint config io log modfile text)
  pde_test(${name} SOURCES unit/test_${name}.c unit/scratch.c LIBRARIES pde_faults pde_flags)
endforeach()
pde_test(report SOURCES unit/test_report.c unit/report_sample.c unit/scratch.c
  LIBRARIES pde_faults pde_flags)

foreach(name exact jets math optim random)
  pde_test(engine_${name} SOURCES engine/engine_${name}.c LIBRARIES pde_engine pde_flags)
endforeach()

# Every example as a module: its self-test and a few steps of training.
add_test(NAME selftest COMMAND ${CMAKE_SOURCE_DIR}/tests/golden/selftest.sh $<TARGET_FILE:pdec>
  ${CMAKE_BINARY_DIR}/pderun ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/selftest)

include(${CMAKE_SOURCE_DIR}/tests/runs.cmake)
