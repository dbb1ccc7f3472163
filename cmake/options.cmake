# SPDX-License-Identifier: Apache-2.0
# Every optional library sits behind one option and one source file. AUTO (the default) uses what is
# installed; ON insists; OFF builds without. `stickslip list` prints what a build contains.
find_package(PkgConfig REQUIRED)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)

option(SS_BUILD_TESTS "build the tests (needs cmocka)" ON)
option(SS_BUILD_BENCH "build the benchmarks" ON)
option(SS_WERROR "treat warnings as errors" OFF)
option(SS_FUZZ "build the fuzz targets for libFuzzer (clang; see tools/fuzz.sh)" OFF)
set(SS_SANITIZE "" CACHE STRING "sanitizers, for example address,undefined")

set(SS_OPTIONAL_DEFAULT AUTO CACHE STRING "what SS_WITH_* options are unless set: AUTO, ON, OFF")

add_library(ss_optional INTERFACE)  # what the optional libraries add to every folder

# What `stickslip list` prints about the build.
function(ss_note_option name found)
  if(found)
    set_property(GLOBAL APPEND PROPERTY SS_BUILD_OPTIONS "${name}=yes")
  else()
    set_property(GLOBAL APPEND PROPERTY SS_BUILD_OPTIONS "${name}=no")
  endif()
endfunction()

# ss_optional_pkg(NAME pkg-config-module "what for" [LOADED]): defines SS_WITH_NAME and links it;
# LOADED ones are not linked but opened when they are first used.
function(ss_optional_pkg name module what)
  set(SS_WITH_${name} ${SS_OPTIONAL_DEFAULT} CACHE STRING "${what} (AUTO, ON, OFF)")
  set(found FALSE)
  if(NOT SS_WITH_${name} STREQUAL "OFF")
    pkg_check_modules(SS_${name} QUIET IMPORTED_TARGET ${module})
    if(SS_${name}_FOUND)
      if("LOADED" IN_LIST ARGN)
        target_include_directories(ss_optional SYSTEM INTERFACE ${SS_${name}_INCLUDE_DIRS})
        target_link_libraries(ss_optional INTERFACE ${CMAKE_DL_LIBS})
      else()
        target_link_libraries(ss_optional INTERFACE PkgConfig::SS_${name})
      endif()
      set(found TRUE)
    elseif(SS_WITH_${name} STREQUAL "ON")
      message(FATAL_ERROR "SS_WITH_${name}=ON but ${module} was not found")
    endif()
  endif()
  if(found)
    target_compile_definitions(ss_optional INTERFACE SS_HAVE_${name}=1)
  endif()
  ss_note_option(${name} ${found})
  set(SS_HAVE_${name} ${found} PARENT_SCOPE)
endfunction()

# ss_optional_lib(NAME header library "what for"): the same for libraries without pkg-config.
function(ss_optional_lib name header library what)
  set(SS_WITH_${name} ${SS_OPTIONAL_DEFAULT} CACHE STRING "${what} (AUTO, ON, OFF)")
  set(found FALSE)
  if(NOT SS_WITH_${name} STREQUAL "OFF")
    find_path(SS_${name}_INCLUDE ${header} PATH_SUFFIXES ${ARGN})
    find_library(SS_${name}_LIBRARY ${library})
    if(SS_${name}_INCLUDE AND SS_${name}_LIBRARY)
      target_include_directories(ss_optional SYSTEM INTERFACE ${SS_${name}_INCLUDE})
      target_link_libraries(ss_optional INTERFACE ${SS_${name}_LIBRARY})
      set(found TRUE)
    elseif(SS_WITH_${name} STREQUAL "ON")
      message(FATAL_ERROR "SS_WITH_${name}=ON but ${header} or lib${library} was not found")
    endif()
  endif()
  if(found)
    target_compile_definitions(ss_optional INTERFACE SS_HAVE_${name}=1)
  endif()
  ss_note_option(${name} ${found})
  set(SS_HAVE_${name} ${found} PARENT_SCOPE)
endfunction()

ss_optional_pkg(LUA lua5.4 "expressions and controllers in Lua")
ss_optional_pkg(HDF5 hdf5 "run files and problem files")
ss_optional_pkg(ZLIB zlib "reports and compressed NumPy archives")
ss_optional_lib(KLU klu.h klu "sparse LU" suitesparse)
ss_optional_lib(AMD amd.h amd "fill-reducing order" suitesparse)
ss_optional_lib(LDL ldl.h ldl "sparse LDL'" suitesparse)
# CLP brings BLAS with it, which reserves memory for every processor as soon as it is loaded.
ss_optional_pkg(CLP clp "linear programs in the analysis" LOADED)
ss_optional_pkg(QHULL qhull_r "convex hulls of points and meshes")
ss_optional_pkg(ASSIMP assimp "mesh files in COLLADA (DAE)")

# Siconos is off unless asked for: it is large, and our own solvers need nothing of it.
set(SS_WITH_SICONOS OFF CACHE STRING "Siconos' solvers as the plug-in `siconos` (AUTO, ON, OFF)")
ss_optional_lib(SICONOS siconos/numerics/SiconosNumerics.h siconos_numerics "Siconos' solvers")
if(SS_HAVE_SICONOS)
  target_include_directories(ss_optional SYSTEM INTERFACE ${SS_SICONOS_INCLUDE}/siconos
                             ${SS_SICONOS_INCLUDE}/siconos/numerics)
  find_library(SS_SICONOS_EXTERNALS siconos_externals REQUIRED)
  target_link_libraries(ss_optional INTERFACE ${SS_SICONOS_EXTERNALS})
endif()

ss_optional_pkg(XML libxml-2.0 "imports of URDF, MJCF and SDF")
ss_optional_pkg(NLOPT nlopt "searches for designs")
# As CLP; it brings MUMPS with it too.
ss_optional_pkg(IPOPT ipopt "nonlinear programs with complementarity (MPECs)" LOADED)

# Processes: `mpirun -n K stickslip sweep STUDY`.
ss_optional_pkg(MPI ompi-c "sweeps over processes (OpenMPI)")

# Threads: islands of a step are solved side by side.
set(SS_WITH_OPENMP AUTO CACHE STRING "threads over islands (AUTO, ON, OFF)")
if(NOT SS_WITH_OPENMP STREQUAL "OFF")
  find_package(OpenMP COMPONENTS C)
  if(OpenMP_C_FOUND)
    target_compile_definitions(ss_optional INTERFACE SS_HAVE_OPENMP=1)
    target_link_libraries(ss_optional INTERFACE OpenMP::OpenMP_C)
    set(SS_HAVE_OPENMP TRUE)
    ss_note_option(OPENMP TRUE)
  elseif(SS_WITH_OPENMP STREQUAL "ON")
    message(FATAL_ERROR "SS_WITH_OPENMP=ON but the compiler has no OpenMP")
  endif()
endif()
