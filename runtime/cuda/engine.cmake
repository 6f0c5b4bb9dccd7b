# The training step on a device. Included by runtime/cuda/cuda.cmake.

# The engine's kernels as text, in the order of compilation.
set(ENGINE_TEXT)
foreach(file kernels/cuda_head.h kernels/pde_math.h kernels/prelude.h cuda/kernels/head.cuh rng.h
    kernels/sigma.h cuda/engine_abi.h cuda/natural_abi.h cuda/kernels/base.cuh cuda/kernels/step.cuh
    cuda/kernels/points.cuh cuda/kernels/paths.cuh cuda/kernels/attack.cuh
    cuda/kernels/sets.cuh cuda/kernels/first.cuh cuda/kernels/rows.cuh
    cuda/kernels/taylor.cuh cuda/kernels/gram.cuh cuda/tensor_abi.h cuda/kernels/tensor.cuh
    cuda/kernels/tensor_eigen.cuh cuda/kernels/tensor_sweep.cuh
    cuda/kernels/natural_state.cuh cuda/kernels/natural_gram.cuh cuda/kernels/natural_solve.cuh
    lbfgs_search.h cuda/lbfgs_abi.h cuda/kernels/lbfgs.cuh)
  list(APPEND ENGINE_TEXT ${CMAKE_SOURCE_DIR}/runtime/${file})
endforeach()
add_custom_command(
  OUTPUT ${GENERATED}/engine_text.c
  COMMAND ${CMAKE_COMMAND} -DOUT=${GENERATED}/engine_text.c "-DFILES=${ENGINE_TEXT}"
          -DHEADER=runtime/cuda/engine_text.h -DTYPE=EngineText -DSYMBOL=engine_text -DPREFIX=
          -P ${CMAKE_SOURCE_DIR}/stdlib/embed.cmake
  DEPENDS ${ENGINE_TEXT} ${CMAKE_SOURCE_DIR}/stdlib/embed.cmake
  VERBATIM)

set(CUDA_ENGINE_SOURCES attack.c average.c backend.c balance.c combine.c count.c driver.c first.c jets.c
  lbfgs.c natural.c natural_gram.c natural_open.c natural_rows.c open.c paths.c plan.c points.c route.c
  score.c scratch.c select.c step.c
  tensor_open.c tensor_plan.c tensor_solve.c tensor_step.c)
list(TRANSFORM CUDA_ENGINE_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/runtime/cuda/)
target_sources(pderun_library PRIVATE ${CUDA_ENGINE_SOURCES})
target_sources(pde_cuda PRIVATE ${GENERATED}/engine_text.c)
target_include_directories(pde_cuda PRIVATE ${CMAKE_SOURCE_DIR})

include(tests/cuda/engine.cmake)
