# The training step on a device. Included by runtime/cuda/cuda.cmake.

# The engine's kernels as text, in the order of compilation.
set(ENGINE_TEXT)
foreach(file
    contract/cuda_head.h contract/pde_math.h contract/prelude.h cuda/kernels/head.cuh contract/rng.h
    engine/kernels/sigma.h cuda/abi/engine_abi.h cuda/abi/natural_abi.h cuda/kernels/base.cuh
    cuda/kernels/step.cuh cuda/kernels/points.cuh cuda/kernels/paths.cuh cuda/kernels/attack.cuh
    cuda/kernels/sets.cuh cuda/kernels/first.cuh cuda/kernels/rows.cuh cuda/kernels/taylor.cuh
    cuda/kernels/gram.cuh cuda/abi/tensor_abi.h cuda/kernels/tensor.cuh cuda/kernels/tensor_eigen.cuh
    cuda/kernels/tensor_sweep.cuh cuda/kernels/natural_state.cuh cuda/kernels/natural_gram.cuh
    cuda/kernels/natural_solve.cuh step/lbfgs_search.h cuda/abi/lbfgs_abi.h cuda/kernels/lbfgs.cuh)
  list(APPEND ENGINE_TEXT ${CMAKE_SOURCE_DIR}/runtime/${file})
endforeach()
add_custom_command(
  OUTPUT ${GENERATED}/engine_text.c
  COMMAND ${CMAKE_COMMAND} -DOUT=${GENERATED}/engine_text.c "-DFILES=${ENGINE_TEXT}"
          -DHEADER=runtime/cuda/device/engine_text.h -DTYPE=EngineText -DSYMBOL=engine_text -DPREFIX=
          -P ${CMAKE_SOURCE_DIR}/stdlib/embed.cmake
  DEPENDS ${ENGINE_TEXT} ${CMAKE_SOURCE_DIR}/stdlib/embed.cmake
  VERBATIM)

set(CUDA_ENGINE_SOURCES
  device/backend.c device/count.c device/driver.c
  step/attack.c step/combine.c step/first.c step/jets.c step/paths.c step/points.c step/route.c step/score.c
  step/scratch.c
  optimise/average.c optimise/balance.c optimise/lbfgs.c optimise/natural.c optimise/natural_gram.c
  optimise/natural_open.c optimise/natural_rows.c
  tensor/tensor_open.c tensor/tensor_plan.c tensor/tensor_solve.c tensor/tensor_step.c
  session/open.c session/device_plan.c session/select.c session/step.c)
list(TRANSFORM CUDA_ENGINE_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/runtime/cuda/)
target_sources(pderun_library PRIVATE ${CUDA_ENGINE_SOURCES})
target_sources(pde_cuda PRIVATE ${GENERATED}/engine_text.c)
target_include_directories(pde_cuda PRIVATE ${CMAKE_SOURCE_DIR})

include(tests/cuda/engine.cmake)
