# CUDA: libraries opened when they are wanted, so that nothing of it is needed to build. pdec uses it
# for PTX, pderun for training. Included by CMakeLists.txt.
add_library(pde_cuda STATIC runtime/cuda/device/api.c runtime/cuda/device/compile.c
  runtime/cuda/device/device.c runtime/cuda/device/module_kernels.c)
target_link_libraries(pde_cuda PUBLIC pde_files ${CMAKE_DL_LIBS} PRIVATE pde_flags)
target_link_libraries(pderun_library PUBLIC pde_cuda)

include(tests/cuda/generated.cmake)
include(runtime/cuda/engine.cmake)
