# Optional libraries. SLUICE_WITH_NAME is AUTO (used if found), ON (configuring fails if it is missing) or OFF; the sources
# see SLUICE_HAVE_NAME as 1 or 0. Afterwards:
#   sluice_optional_targets   targets to link
#   sluice_private_libs       the same as -lNAME, for pkg-config
#   sluice_find_calls         calls that find them again, for the CMake package
#   sluice_with, sluice_without   names of what is in and of what is left out, for the summary
include(${CMAKE_CURRENT_LIST_DIR}/sluice-libraries.cmake)

set(sluice_optional_targets "")
set(sluice_private_libs "")
set(sluice_find_calls "")
set(sluice_with "")
set(sluice_without "")

# Declares the option and records what came of it.
macro(sluice_decide name found missing)
  string(TOUPPER ${name} upper)
  set(SLUICE_WITH_${upper} AUTO CACHE STRING "${name}: AUTO, ON or OFF")
  set_property(CACHE SLUICE_WITH_${upper} PROPERTY STRINGS AUTO ON OFF)
  set(SLUICE_HAVE_${upper} 0)
  if(SLUICE_WITH_${upper} STREQUAL "AUTO" OR SLUICE_WITH_${upper}) # AUTO, or any of CMake's words for true
    if(${found})
      set(SLUICE_HAVE_${upper} 1)
    elseif(NOT SLUICE_WITH_${upper} STREQUAL "AUTO")
      message(FATAL_ERROR "SLUICE_WITH_${upper} is ${SLUICE_WITH_${upper}}, but ${missing}")
    else()
      list(APPEND sluice_without "${name} (${missing})")
    endif()
  else()
    list(APPEND sluice_without "${name} (SLUICE_WITH_${upper} is ${SLUICE_WITH_${upper}})")
  endif()
  if(SLUICE_HAVE_${upper})
    list(APPEND sluice_with ${name})
  endif()
  add_compile_definitions(SLUICE_HAVE_${upper}=${SLUICE_HAVE_${upper}})
endmacro()

# A library with a header that is linked: name, header, library without "lib", Debian's package.
macro(sluice_optional_library name header library package)
  sluice_find_library(${name} ${header} ${library})
  set(found FALSE)
  if(TARGET sluice::${name})
    set(found TRUE)
  endif()
  sluice_decide(${name} ${found} "${header} or lib${library} was not found (Debian: ${package})")
  string(TOUPPER ${name} upper)
  if(SLUICE_HAVE_${upper})
    list(APPEND sluice_optional_targets sluice::${name})
    string(APPEND sluice_private_libs "-l${library} ")
    string(APPEND sluice_find_calls "sluice_find_library(${name} ${header} ${library})\n")
  endif()
endmacro()
