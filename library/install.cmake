# cmake --install build --prefix DIR, and cpack: everything is found relative to where it lies, or by name, so what is
# installed may be moved.
include(GNUInstallDirs)
string(REGEX REPLACE "[^/]+" ".." PDE_UP "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
set(PDE_SHARE ${CMAKE_INSTALL_DATADIR}/pde)
install(TARGETS pdec pderun RUNTIME)
install(TARGETS pde LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_BINARY_DIR}/libpde.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_SOURCE_DIR}/library/pde.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/pde.pc @ONLY CONTENT [[
prefix=${pcfiledir}/@PDE_UP@
libdir=${prefix}/@CMAKE_INSTALL_LIBDIR@
includedir=${prefix}/@CMAKE_INSTALL_INCLUDEDIR@

Name: pde
Description: compiler for partial differential equations in many dimensions
Version: @PROJECT_VERSION@
Libs: -L${libdir} -lpde
Libs.private: -lLLVM-@LLVM_MAJOR@ -ljansson -lmd -lpthread -ldl -lm
Cflags: -I${includedir}
]])
install(FILES ${CMAKE_BINARY_DIR}/pde.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples/ DESTINATION ${PDE_SHARE}/examples FILES_MATCHING PATTERN *.pde)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/stdlib/ DESTINATION ${PDE_SHARE}/stdlib FILES_MATCHING PATTERN *.pde)
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES grammar/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME language.md)
foreach(program pdec pderun)
  install(FILES ${CMAKE_BINARY_DIR}/pages/${program}.man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME ${program}.1)
  install(FILES ${CMAKE_BINARY_DIR}/pages/${program}.bash
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program})
  install(FILES ${CMAKE_BINARY_DIR}/pages/${program}.zsh
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _${program})
  install(FILES ${CMAKE_BINARY_DIR}/pages/${program}.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d RENAME ${program}.fish)
endforeach()

set(CPACK_GENERATOR TGZ DEB)
set(CPACK_PACKAGE_NAME pde)
set(CPACK_PACKAGE_CONTACT "the maintainers of pdec and pderun <pde@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "compiler for partial differential equations in many dimensions")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)
# The kernels need clang or, where there is none, a C compiler; natural gradient opens OpenBLAS by name.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang-${LLVM_MAJOR} | gcc, libc6-dev, libopenblas0")
find_program(SHLIBDEPS dpkg-shlibdeps)
if(SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libmd0, libjansson4, libllvm${LLVM_MAJOR}")
endif()
include(CPack)
