# The software CUDA device: stand-ins for the driver, cuBLAS and NVRTC, and the tests of the device
# itself. Included by tests/front.cmake. Needs no part of CUDA to build; the tests that compile kernels
# are skipped where NVRTC is absent. See README.md here.

set(SOFT_DIR ${CMAKE_SOURCE_DIR}/tests/cuda/soft)
set(MACHINE_DIR ${CMAKE_SOURCE_DIR}/tests/cuda/machine)
set(SOFT_FLAGS -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Werror
  -fvisibility=hidden -ffp-contract=off -fno-math-errno)

# The operations on registers, once for each instruction set.
set(SOFT_VARIANTS base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND SOFT_VARIANTS avx2 avx512)
endif()
add_library(soft_cuda SHARED ${MACHINE_DIR}/alu_select.c ${SOFT_DIR}/driver.c
  ${SOFT_DIR}/driver_memory.c ${MACHINE_DIR}/findings.c
  ${MACHINE_DIR}/groups.c ${MACHINE_DIR}/matrix.c ${MACHINE_DIR}/memory.c ${MACHINE_DIR}/ptx_decode.c ${MACHINE_DIR}/ptx_declare.c ${MACHINE_DIR}/ptx_lex.c
  ${MACHINE_DIR}/ptx_parse.c ${MACHINE_DIR}/run.c ${MACHINE_DIR}/run_memory.c ${MACHINE_DIR}/run_shared.c
  ${MACHINE_DIR}/run_warp.c ${MACHINE_DIR}/settings.c ${SOFT_DIR}/stream.c)
foreach(variant ${SOFT_VARIANTS})
  add_library(soft_alu_${variant} OBJECT ${MACHINE_DIR}/alu.c)
  set_target_properties(soft_alu_${variant} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_compile_definitions(soft_alu_${variant} PRIVATE SOFT_VARIANT=${variant})
  target_compile_options(soft_alu_${variant} PRIVATE ${SOFT_FLAGS} -O3 -fno-trapping-math)
  target_sources(soft_cuda PRIVATE $<TARGET_OBJECTS:soft_alu_${variant}>)
endforeach()
if("avx2" IN_LIST SOFT_VARIANTS)
  target_compile_options(soft_alu_avx2 PRIVATE -march=x86-64-v3)
  target_compile_options(soft_alu_avx512 PRIVATE -march=x86-64-v4 -mprefer-vector-width=512)
  target_compile_definitions(soft_cuda PRIVATE SOFT_X86)
endif()
target_compile_definitions(soft_cuda PRIVATE _GNU_SOURCE)
target_compile_options(soft_cuda PRIVATE ${SOFT_FLAGS} -O3)
target_link_libraries(soft_cuda PRIVATE m ${CMAKE_DL_LIBS})

add_library(soft_cublas SHARED ${SOFT_DIR}/cublas.c ${SOFT_DIR}/blas.c)
target_compile_options(soft_cublas PRIVATE ${SOFT_FLAGS} -O3 -ffp-contract=fast -Wno-psabi)
target_link_libraries(soft_cublas PRIVATE soft_cuda m)
add_library(soft_nvrtc SHARED ${SOFT_DIR}/nvrtc.c)
target_compile_options(soft_nvrtc PRIVATE ${SOFT_FLAGS})
target_link_libraries(soft_nvrtc PRIVATE ${CMAKE_DL_LIBS})

# Tests of the device itself.
add_library(soft_rig STATIC ${SOFT_DIR}/rig.c)
target_compile_definitions(soft_rig PRIVATE SOFT_CUDA="$<TARGET_FILE:soft_cuda>")
target_include_directories(soft_rig PUBLIC ${SOFT_DIR})
target_link_libraries(soft_rig PUBLIC ${CMAKE_DL_LIBS} m PRIVATE pde_flags)
foreach(name blas checks failures kernels math)
  add_executable(soft_${name} ${SOFT_DIR}/test_${name}.c)
  target_include_directories(soft_${name} PRIVATE ${GREATEST_DIR})
  target_compile_options(soft_${name} PRIVATE -Wall -Wextra -Wpedantic -Wno-overlength-strings)
  target_link_libraries(soft_${name} PRIVATE soft_rig)
  target_compile_definitions(soft_${name} PRIVATE _GNU_SOURCE
    SOFT_CUDA="$<TARGET_FILE:soft_cuda>" SOFT_CUBLAS="$<TARGET_FILE:soft_cublas>"
    SOFT_NVRTC="$<TARGET_FILE:soft_nvrtc>" WIDE_SOURCE="${SOFT_DIR}/wide.cu")
  add_dependencies(soft_${name} soft_cuda soft_cublas soft_nvrtc)
  add_test(NAME soft_cuda_${name} COMMAND soft_${name})
  set_tests_properties(soft_cuda_${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()
add_test(NAME soft_cuda_math_base COMMAND ${CMAKE_COMMAND} -E env PDE_SOFT_CUDA_VARIANT=base
  $<TARGET_FILE:soft_math>)
set_tests_properties(soft_cuda_math_base PROPERTIES SKIP_RETURN_CODE 77)
