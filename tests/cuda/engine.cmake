# The step on a device against the host's. Included by runtime/cuda/engine.cmake.
foreach(type f32 f64)
  add_library(emulated_${type} OBJECT EXCLUDE_FROM_ALL tests/cuda/emulate_kernels.c)
  target_include_directories(emulated_${type} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(emulated_${type} PRIVATE -O2 -Wall -Wextra -Wno-unused-function
    -fno-math-errno -fno-trapping-math)
  target_compile_definitions(emulated_${type} PRIVATE EMULATE_TABLE=emulated_${type})
endforeach()
target_compile_definitions(emulated_f64 PRIVATE PDE_DOUBLE)
add_executable(test_cuda_step tests/cuda/test_step.c tests/cuda/emulate.c
  $<TARGET_OBJECTS:emulated_f32> $<TARGET_OBJECTS:emulated_f64>)
target_link_libraries(test_cuda_step PRIVATE pderun_library pde_flags)
foreach(tier "" all)
  string(REPLACE all _all suffix "${tier}")
  add_test(NAME cuda_steps${suffix} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cuda/steps.sh
    $<TARGET_FILE:pdec> $<TARGET_FILE:test_cuda_step> ${CMAKE_SOURCE_DIR}/examples
    ${CMAKE_BINARY_DIR}/cuda_steps${suffix} ${tier})
endforeach()
set_tests_properties(cuda_steps_all PROPERTIES LABELS long)
foreach(tier "" all)
  string(REPLACE all _all suffix "${tier}")
  add_test(NAME cuda_runs${suffix} COMMAND ${CMAKE_COMMAND} -E env
    PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda> PDE_CUBLAS=$<TARGET_FILE:soft_cublas>
    sh ${CMAKE_SOURCE_DIR}/tests/cuda/runs.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
    $<TARGET_FILE:test_cuda_step> ${CMAKE_SOURCE_DIR}/examples
    ${CMAKE_BINARY_DIR}/cuda_runs${suffix} ${tier})
  set_tests_properties(cuda_runs${suffix} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(cuda_runs_all PROPERTIES LABELS long TIMEOUT 3000)
foreach(tier "" all)
  string(REPLACE all _all suffix "${tier}")
  add_test(NAME cuda_forms${suffix} COMMAND ${CMAKE_COMMAND} -E env
    PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda> PDE_CUBLAS=$<TARGET_FILE:soft_cublas>
    sh ${CMAKE_SOURCE_DIR}/tests/cuda/forms.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
    $<TARGET_FILE:test_cuda_step> ${CMAKE_SOURCE_DIR}/tests
    ${CMAKE_BINARY_DIR}/cuda_forms${suffix} ${tier})
  set_tests_properties(cuda_forms${suffix} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(cuda_forms_all PROPERTIES LABELS long TIMEOUT 3000)
foreach(tier "" all)
  string(REPLACE all _all suffix "${tier}")
  add_test(NAME cuda_tensor${suffix} COMMAND ${CMAKE_COMMAND} -E env
    PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda> PDE_CUBLAS=$<TARGET_FILE:soft_cublas>
    sh ${CMAKE_SOURCE_DIR}/tests/cuda/tensor.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
    ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/cuda_tensor${suffix} ${tier})
  set_tests_properties(cuda_tensor${suffix} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(cuda_tensor_all PROPERTIES LABELS long TIMEOUT 3000)
add_test(NAME cuda_refusals COMMAND ${CMAKE_COMMAND} -E env
  PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda> PDE_CUBLAS=$<TARGET_FILE:soft_cublas>
  sh ${CMAKE_SOURCE_DIR}/tests/cuda/refusals.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
  ${CMAKE_BINARY_DIR}/cuda_refusals)
set_tests_properties(cuda_refusals PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME cuda_traffic COMMAND ${CMAKE_COMMAND} -E env
  PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda> PDE_CUBLAS=$<TARGET_FILE:soft_cublas>
  sh ${CMAKE_SOURCE_DIR}/tests/cuda/traffic.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
  ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/cuda_traffic)
set_tests_properties(cuda_traffic PROPERTIES SKIP_RETURN_CODE 77 LABELS long)
foreach(row :11:adam _all:1:adam _lbfgs:3:lbfgs _natural:41:natural _natural_all:1:natural)
  string(REGEX MATCH "(.*):(.*):(.*)" row ${row})
  set(suffix ${CMAKE_MATCH_1})
  add_test(NAME cuda_failures${suffix} COMMAND ${CMAKE_COMMAND} -E env
    PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda> PDE_CUBLAS=$<TARGET_FILE:soft_cublas>
    sh ${CMAKE_SOURCE_DIR}/tests/cuda/failures.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
    $<TARGET_FILE:soft_nvrtc> ${CMAKE_SOURCE_DIR}/examples/elliptic_sine_gordon.pde
    ${CMAKE_BINARY_DIR}/cuda_failures${suffix} ${CMAKE_MATCH_2} --optimiser ${CMAKE_MATCH_3})
  set_tests_properties(cuda_failures${suffix} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
set_tests_properties(cuda_failures_all cuda_failures_lbfgs cuda_failures_natural_all PROPERTIES
  LABELS long TIMEOUT 3000)
# The same of an attack on points and of paths.
foreach(form run/attack/coefficients num/paths)
  get_filename_component(name ${form} NAME)
  add_test(NAME cuda_failures_${name} COMMAND ${CMAKE_COMMAND} -E env
    PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda> PDE_CUBLAS=$<TARGET_FILE:soft_cublas>
    sh ${CMAKE_SOURCE_DIR}/tests/cuda/failures.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
    $<TARGET_FILE:soft_nvrtc> ${CMAKE_SOURCE_DIR}/tests/${form}.pde
    ${CMAKE_BINARY_DIR}/cuda_failures_${name} 3)
  set_tests_properties(cuda_failures_${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS long)
endforeach()
