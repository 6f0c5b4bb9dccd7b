# Tests of the CUDA side that need no device.

# Our declarations against NVIDIA's, where its headers are: right if it compiles.
find_path(CUDA_HEADERS NAMES cuda.h HINTS ENV CUDA_HOME ENV CUDA_PATH
  PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES include)
if(CUDA_HEADERS)
  add_library(check_cuda_api OBJECT check_api.c)
  target_include_directories(check_cuda_api PRIVATE ${CMAKE_SOURCE_DIR}/runtime)
  target_include_directories(check_cuda_api SYSTEM PRIVATE ${CUDA_HEADERS})
  target_compile_options(check_cuda_api PRIVATE -Wall -Wextra -Werror=incompatible-pointer-types)
endif()

# Every generated kernel on the software device against the same kernel on the host.
add_executable(run_generated run_generated.c generated_lab.c)
target_link_libraries(run_generated PRIVATE pderun_library pde_flags)
add_dependencies(run_generated soft_cuda)
function(cuda_generated name orders)
  add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E env PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda>
    sh ${CMAKE_SOURCE_DIR}/tests/cuda/generated.sh $<TARGET_FILE:pdec> $<TARGET_FILE:run_generated>
    ${CMAKE_BINARY_DIR}/${name} ${orders} ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
set(CUDA_FEW integral_ends product_source scalar_features space_time vectors_of_features x_dependent_weights)
list(TRANSFORM CUDA_FEW PREPEND ${CMAKE_SOURCE_DIR}/tests/kernels/pde/)
list(TRANSFORM CUDA_FEW APPEND .pde)
cuda_generated(cuda_generated_precompiled precompiled
  ${CMAKE_SOURCE_DIR}/tests/kernels/pde/space_time.pde ${CMAKE_SOURCE_DIR}/examples/hjb_log.pde)
cuda_generated(cuda_generated shuffled:1 ${CUDA_FEW}
  ${CMAKE_SOURCE_DIR}/examples/elliptic_poisson.pde ${CMAKE_SOURCE_DIR}/examples/hjb_log.pde)
file(GLOB CUDA_ALL CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.pde
  ${CMAKE_SOURCE_DIR}/tests/kernels/pde/*.pde)
cuda_generated(cuda_generated_all normal,reversed,shuffled:1 ${CUDA_ALL})
set_tests_properties(cuda_generated_all PROPERTIES LABELS long)

# Registers, spills, shared memory and occupancy in float and double; fails if a kernel spills.
add_executable(print_ptx print_ptx.c)
target_include_directories(print_ptx PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(print_ptx PRIVATE pde_cuda pde_flags)
function(cuda_table name archs)
  add_test(NAME ${name} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cuda/table.sh $<TARGET_FILE:pdec>
    $<TARGET_FILE:print_ptx> ${CMAKE_BINARY_DIR}/${name} ${archs} float,double engine ${ARGN})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
endfunction()
file(GLOB CUDA_EXAMPLES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*.pde)
cuda_table(cuda_table sm_80 ${CMAKE_SOURCE_DIR}/examples/fokker_planck.pde
  ${CMAKE_SOURCE_DIR}/examples/elliptic_sine_gordon.pde)
file(GLOB CUDA_OTHERS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/run/attack/*.pde
  ${CMAKE_SOURCE_DIR}/tests/cross/pde/*.pde)
cuda_table(cuda_table_all sm_75,sm_80,sm_90,sm_100,sm_120 ${CUDA_EXAMPLES} ${CUDA_OTHERS})
set_tests_properties(cuda_table_all PROPERTIES LABELS long TIMEOUT 3000)

add_executable(test_cuda_compile test_compile.c)
target_include_directories(test_cuda_compile PRIVATE ${GREATEST_DIR} ${CMAKE_SOURCE_DIR})
target_link_libraries(test_cuda_compile PRIVATE pde_cuda pde_flags)
add_test(NAME cuda_compile COMMAND ${CMAKE_COMMAND} -E env PDE_SCRATCH=${CMAKE_BINARY_DIR}/cuda_compile
  $<TARGET_FILE:test_cuda_compile>)
set_tests_properties(cuda_compile PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME cuda_devices COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cuda/devices.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> $<TARGET_FILE:soft_cuda> ${CMAKE_SOURCE_DIR}/examples/elliptic_poisson.pde
  ${CMAKE_BINARY_DIR}/cuda_devices)
add_test(NAME cuda_precompiled COMMAND ${CMAKE_COMMAND} -E env PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda>
  PDE_CUBLAS=$<TARGET_FILE:soft_cublas> sh ${CMAKE_SOURCE_DIR}/tests/cuda/precompiled.sh
  $<TARGET_FILE:pdec> $<TARGET_FILE:pderun> ${CMAKE_SOURCE_DIR}/examples/elliptic_poisson.pde
  ${CMAKE_BINARY_DIR}/cuda_precompiled)
set_tests_properties(cuda_precompiled PROPERTIES SKIP_RETURN_CODE 77)
