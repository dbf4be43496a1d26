# Finds one optional library as the target sluice::NAME, which exists afterwards if header and library are there. The build
# uses this file, and it is installed with the CMake package: who links libsluice statically needs the same libraries.
function(sluice_find_library name header library)
  if(TARGET sluice::${name})
    return()
  endif()
  string(TOUPPER ${name} upper)
  find_path(SLUICE_${upper}_INCLUDE ${header} DOC "Folder of ${header}")
  find_library(SLUICE_${upper}_LIBRARY ${library} DOC "Library ${library}")
  mark_as_advanced(SLUICE_${upper}_INCLUDE SLUICE_${upper}_LIBRARY)
  if(SLUICE_${upper}_INCLUDE AND SLUICE_${upper}_LIBRARY)
    add_library(sluice::${name} UNKNOWN IMPORTED)
    set_target_properties(sluice::${name} PROPERTIES IMPORTED_LOCATION ${SLUICE_${upper}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${SLUICE_${upper}_INCLUDE})
  endif()
endfunction()
