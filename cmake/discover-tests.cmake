# Run after PROGRAM is built: asks it for its tests and writes them for ctest, so that what ctest runs is what the program has.
#   cmake -DPROGRAM=... -DEMULATOR=... -DPREFIX=... -DLABELS=... -DFILE=... -P discover-tests.cmake
# PROGRAM --list prints one name a line; PROGRAM NAME runs one; the ctest test is called PREFIX.NAME.
execute_process(COMMAND ${EMULATOR} ${PROGRAM} --list OUTPUT_VARIABLE names RESULT_VARIABLE status)
string(STRIP "${names}" names)
if(status OR NOT names)
  message(FATAL_ERROR "${PROGRAM} --list gave no tests (status ${status})")
endif()
string(REPLACE "\n" ";" names "${names}")
set(words "")
foreach(word ${EMULATOR} ${PROGRAM})
  string(APPEND words " [==[${word}]==]")
endforeach()
set(text "")
foreach(name ${names})
  string(APPEND text "add_test([==[${PREFIX}.${name}]==]${words} ${name})\n"
    "set_tests_properties([==[${PREFIX}.${name}]==] PROPERTIES LABELS [==[${LABELS}]==])\n")
endforeach()
file(WRITE ${FILE} "${text}")
