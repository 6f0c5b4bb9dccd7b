# Whole runs of modules that pdec makes of examples/, and the benchmark. Included by
# tests/repository.cmake.

find_program(PYTHON NAMES python3)
if(PYTHON)
  add_test(NAME cross_examples COMMAND ${PYTHON} ${CMAKE_SOURCE_DIR}/tests/cross/examples.py
    $<TARGET_FILE:pdec> $<TARGET_FILE:pderun> ${CMAKE_SOURCE_DIR}/examples
    ${CMAKE_BINARY_DIR}/cross_examples)
  set_tests_properties(cross_examples PROPERTIES SKIP_RETURN_CODE 77 LABELS long TIMEOUT 1500)
endif()
