# Writes a file of C that has the bytes of another file: cmake -DFILE=... -DNAME=... -DTO=... -P embed.cmake
file(READ ${FILE} hex HEX)
string(LENGTH "${hex}" digits)
math(EXPR bytes "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," text "${hex}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" text "${text}")
get_filename_component(from ${FILE} NAME)
file(WRITE ${TO} "/* The bytes of ${from}; made by cmake/embed.cmake. */\n#include <stddef.h>\n"
  "extern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_n;\n"
  "const unsigned char ${NAME}[] = {\n${text}0};\nconst size_t ${NAME}_n = ${bytes};\n")
