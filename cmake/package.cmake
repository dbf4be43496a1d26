# The Debian package (make deb): `sluiceway`, since Debian has another program called sluice.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME sluiceway)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "the developers of sluice <sluice@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "learns sparse linear classifiers from data streams")
set(CPACK_PACKAGE_DESCRIPTION "One example at a time, in one pass, from streams too long to store, whose features keep arriving:
a program, a C library and its header.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_CONFLICTS sluice)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "libopenblas0-pthread") # bcw and fgm on many features
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
include(CPack)
