# The step on a device against the host's.
foreach(type f32 f64)
  add_library(emulated_${type} OBJECT EXCLUDE_FROM_ALL emulate_kernels.c)
  target_include_directories(emulated_${type} PRIVATE ${CMAKE_SOURCE_DIR}/runtime)
  target_compile_options(emulated_${type} PRIVATE -O2 -Wall -Wextra -Wno-unused-function
    -fno-math-errno -fno-trapping-math)
  target_compile_definitions(emulated_${type} PRIVATE EMULATE_TABLE=emulated_${type})
endforeach()
target_compile_definitions(emulated_f64 PRIVATE PDE_DOUBLE)
foreach(name step tensor)
  add_executable(test_cuda_${name} test_${name}.c emulate.c
    $<TARGET_OBJECTS:emulated_f32> $<TARGET_OBJECTS:emulated_f64>)
  target_link_libraries(test_cuda_${name} PRIVATE pderun_library pde_flags)
endforeach()
add_test(NAME cuda_tensor_eigen COMMAND test_cuda_tensor)
foreach(tier "" all)
  string(REPLACE all _all suffix "${tier}")
  add_test(NAME cuda_steps${suffix} COMMAND sh ${CMAKE_SOURCE_DIR}/tests/cuda/steps.sh
    $<TARGET_FILE:pdec> $<TARGET_FILE:test_cuda_step> ${CMAKE_SOURCE_DIR}/examples
    ${CMAKE_BINARY_DIR}/cuda_steps${suffix} ${tier})
endforeach()
set_tests_properties(cuda_steps_all PROPERTIES LABELS long)
# SCRIPT.sh ARGUMENTS... SCRATCH TIER on the software device
function(device_test script tier)
  string(REPLACE all _all suffix "${tier}")
  add_test(NAME cuda_${script}${suffix} COMMAND ${CMAKE_COMMAND} -E env
    PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda> PDE_CUBLAS=$<TARGET_FILE:soft_cublas>
    sh ${CMAKE_SOURCE_DIR}/tests/cuda/${script}.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
    ${ARGN} ${CMAKE_BINARY_DIR}/cuda_${script}${suffix} ${tier})
  set_tests_properties(cuda_${script}${suffix} PROPERTIES SKIP_RETURN_CODE 77)
  if(tier)
    set_tests_properties(cuda_${script}${suffix} PROPERTIES LABELS long TIMEOUT 3000)
  endif()
endfunction()
foreach(tier "" all)
  device_test(runs "${tier}" $<TARGET_FILE:test_cuda_step> ${CMAKE_SOURCE_DIR}/examples)
  device_test(forms "${tier}" $<TARGET_FILE:test_cuda_step> ${CMAKE_SOURCE_DIR}/tests)
  device_test(tensor "${tier}" ${CMAKE_SOURCE_DIR}/examples)
endforeach()
# ./go gpu on the software device: all agree, and a kernel that fails is named.
add_test(NAME cuda_gpu COMMAND ${CMAKE_COMMAND} -E env PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda>
  PDE_CUBLAS=$<TARGET_FILE:soft_cublas> sh ${CMAKE_SOURCE_DIR}/tests/cuda/gpu_tried.sh
  $<TARGET_FILE:pdec> $<TARGET_FILE:pderun> $<TARGET_FILE:run_generated> $<TARGET_FILE:test_cuda_step>
  ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/cuda_gpu)
set_tests_properties(cuda_gpu PROPERTIES SKIP_RETURN_CODE 77 LABELS long TIMEOUT 3000)
device_test(lbfgs "" $<TARGET_FILE:test_cuda_step> ${CMAKE_SOURCE_DIR}/examples)
device_test(refusals "")
device_test(traffic "" ${CMAKE_SOURCE_DIR}/examples)
set_tests_properties(cuda_traffic PROPERTIES LABELS long)
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
foreach(form run/attack/coefficients session/paths)
  get_filename_component(name ${form} NAME)
  add_test(NAME cuda_failures_${name} COMMAND ${CMAKE_COMMAND} -E env
    PDE_CUDA_DRIVER=$<TARGET_FILE:soft_cuda> PDE_CUBLAS=$<TARGET_FILE:soft_cublas>
    sh ${CMAKE_SOURCE_DIR}/tests/cuda/failures.sh $<TARGET_FILE:pdec> $<TARGET_FILE:pderun>
    $<TARGET_FILE:soft_nvrtc> ${CMAKE_SOURCE_DIR}/tests/${form}.pde
    ${CMAKE_BINARY_DIR}/cuda_failures_${name} 3)
  set_tests_properties(cuda_failures_${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS long)
endforeach()
