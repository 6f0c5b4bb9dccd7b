# Tests of the CUDA side that need no device. Included by runtime/cuda/cuda.cmake.

# Our declarations against NVIDIA's, where its headers are: right if it compiles.
find_path(CUDA_HEADERS NAMES cuda.h HINTS ENV CUDA_HOME ENV CUDA_PATH
  PATHS /usr/local/cuda /opt/cuda PATH_SUFFIXES include)
if(CUDA_HEADERS)
  add_library(check_cuda_api OBJECT tests/cuda/check_api.c)
  target_include_directories(check_cuda_api PRIVATE ${CMAKE_SOURCE_DIR})
  target_include_directories(check_cuda_api SYSTEM PRIVATE ${CUDA_HEADERS})
  target_compile_options(check_cuda_api PRIVATE -Wall -Wextra -Werror=incompatible-pointer-types)
endif()
