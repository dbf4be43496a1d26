# What makes a mistake in memory harder to use: for everything that is compiled and linked here. SLUICE_HARDENING=OFF leaves
# it out; sanitizers find more and some do not go with it. tests/build/check_hardening.py reads what came of it.
include(CheckCCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)
option(SLUICE_HARDENING "Stack protector, _FORTIFY_SOURCE, control-flow protection, read-only relocations" ON)

check_pie_supported(LANGUAGES C)
if(SLUICE_HARDENING AND NOT SLUICE_SANITIZE)
  foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
    string(MAKE_C_IDENTIFIER "SLUICE_HAS${flag}" has)
    set(CMAKE_REQUIRED_FLAGS -Werror) # clang only warns of what it does not know
    check_c_compiler_flag(${flag} ${has})
    unset(CMAKE_REQUIRED_FLAGS)
    if(${has})
      add_compile_options(${flag})
    endif()
  endforeach()
  # checks of the C library need optimisation; -U: some distributions define another level
  add_compile_options("$<$<NOT:$<CONFIG:Debug>>:SHELL:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3>")
  foreach(flag relro now noexecstack)
    check_linker_flag(C LINKER:-z,${flag} SLUICE_HAS_Z_${flag})
    if(SLUICE_HAS_Z_${flag})
      add_link_options(LINKER:-z,${flag})
    endif()
  endforeach()
endif()
