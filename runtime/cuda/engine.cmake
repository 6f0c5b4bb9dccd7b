# The training step on a device. Included by runtime/cuda/cuda.cmake.
set(CUDA_ENGINE_SOURCES backend.c count.c jets.c open.c points.c route.c scratch.c step.c)
list(TRANSFORM CUDA_ENGINE_SOURCES PREPEND ${CMAKE_SOURCE_DIR}/runtime/cuda/)
target_sources(pderun_library PRIVATE ${CUDA_ENGINE_SOURCES})

include(tests/cuda/engine.cmake)
