# Tensor networks: a library of their own, which tests use without modules, and the part of pderun
# that runs them. The kernels are built for the same instruction sets as the engine's.
add_library(pde_tnn STATIC runtime/tensor/tnn_chain.c runtime/tensor/tnn_dense.c runtime/tensor/tnn_dimension.c
  runtime/tensor/tnn_gradient.c runtime/tensor/tnn_lapack.c runtime/tensor/tnn_model.c runtime/tensor/tnn_ops.c
  runtime/tensor/tnn_quadrature.c runtime/tensor/tnn_solve.c)
target_link_libraries(pde_tnn PUBLIC pde_files pde_engine ${LAPACK_LIBRARY} m PRIVATE pde_flags)
if("f32_avx2" IN_LIST ENGINE_VARIANTS)
  target_compile_definitions(pde_tnn PRIVATE PDE_HAVE_X86_VARIANTS)
endif()
foreach(variant ${ENGINE_VARIANTS})
  if(NOT variant MATCHES "f64")
    continue()
  endif()
  add_library(tnn_${variant} OBJECT runtime/tensor/tnn_kernels.c)
  target_include_directories(tnn_${variant} PRIVATE ${CMAKE_SOURCE_DIR}/runtime)
  target_compile_definitions(tnn_${variant} PRIVATE PDE_VARIANT=${variant} PDE_REAL_F64 _GNU_SOURCE)
  target_compile_options(tnn_${variant} PRIVATE -O3 -ffp-contract=fast -fno-math-errno
    -fno-trapping-math -Wall -Wextra -Wpedantic -Wno-psabi -Wno-unused-function)
  if(variant MATCHES "avx2")
    target_compile_options(tnn_${variant} PRIVATE -march=x86-64-v3)
  elseif(variant MATCHES "avx512")
    target_compile_options(tnn_${variant} PRIVATE -march=x86-64-v4 -mprefer-vector-width=512)
  endif()
  target_sources(pde_tnn PRIVATE $<TARGET_OBJECTS:tnn_${variant}>)
endforeach()
target_sources(pderun_library PRIVATE runtime/commands/tnn_check.c runtime/commands/tnn_files.c runtime/tensor/tnn_module.c
  runtime/commands/tnn_report.c runtime/commands/tnn_train.c)
target_link_libraries(pderun_library PUBLIC pde_tnn)

add_executable(test_tnn tests/engine/test_tnn.c)
target_include_directories(test_tnn PRIVATE ${GREATEST_DIR})
target_link_libraries(test_tnn PRIVATE pde_tnn pde_flags)
add_test(NAME tnn COMMAND test_tnn)
add_test(NAME tnn_long COMMAND test_tnn --long -s energies)
set_tests_properties(tnn_long PROPERTIES LABELS long)
find_program(PYTHON NAMES python3)
if(PYTHON)
  add_test(NAME cross_tnn COMMAND ${PYTHON} ${CMAKE_SOURCE_DIR}/tests/cross/tnn_jax.py
    $<TARGET_FILE:pdec> $<TARGET_FILE:pderun> ${CMAKE_BINARY_DIR}/cross_tnn)
  set_tests_properties(cross_tnn PROPERTIES SKIP_RETURN_CODE 77)
endif()
add_test(NAME run_tnn COMMAND sh ${CMAKE_SOURCE_DIR}/tests/run/tnn.sh $<TARGET_FILE:pdec>
  $<TARGET_FILE:pderun> ${CMAKE_SOURCE_DIR}/examples ${CMAKE_BINARY_DIR}/run_tnn)
