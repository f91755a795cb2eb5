# Makes one page of page.html, style.css and the modules of src/, and of that a file of C:
#
#     cmake -D view=FOLDER -D page=page_bytes.c -P bundle.cmake
#
# The modules are put one after the other, in the order in which they need each other, without their imports and exports; so
# no two of them may have a name in common. The policy in the page lets only this script and this style run, by their digests:
# whatever comes from a model could do nothing even if it were markup.

set(modules decode times kernels tree sums grids projection model colours field_grid particles paint_2d paint_gl backdrop legend
    readout link stage scene controls gestures app)

# The digest of a text as the policy wants it: sha256 in base64.
function(digest_of text result)
    set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
    string(SHA256 hex "${text}")
    set(out "")
    foreach(at RANGE 0 60 6) # 64 hexadecimal digits, by six of them: four characters each
        string(SUBSTRING "${hex}0000" ${at} 6 six)
        foreach(shift 18 12 6 0)
            math(EXPR digit "(0x${six} >> ${shift}) & 63")
            string(SUBSTRING ${digits} ${digit} 1 character)
            string(APPEND out ${character})
        endforeach()
    endforeach()
    string(SUBSTRING ${out} 0 43 out)
    set(${result} "sha256-${out}=" PARENT_SCOPE)
endfunction()

set(script "(() => {\n\"use strict\";")
foreach(module IN LISTS modules)
    file(READ ${view}/src/${module}.js text)
    string(REGEX REPLACE "\nimport [^\n]*" "" text "\n${text}")
    string(REGEX REPLACE "\nexport " "\n" text "${text}")
    string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")
file(READ ${view}/style.css style)

digest_of("${script}" script_digest)
digest_of("${style}" style_digest)
set(policy "default-src 'none'; script-src '${script_digest}'; style-src '${style_digest}'; img-src data: blob:; base-uri 'none'; form-action 'none'")

file(READ ${view}/page.html html)
foreach(part policy style script)
    string(REPLACE "@${part}@" "${${part}}" html "${html}")
endforeach()
string(FIND "${html}" "@model@" place)
if(place EQUAL -1)
    message(FATAL_ERROR "page.html has no place for the model")
endif()
string(SUBSTRING "${html}" 0 ${place} before)
math(EXPR place "${place} + 7")
string(SUBSTRING "${html}" ${place} -1 behind)

set(c "/* Made from view/ by view/bundle.cmake. */\n#include \"cli/page.h\"\n")

# The bases that kernels.js has: the members of BASES.
file(READ ${view}/src/kernels.js kernels)
string(REGEX MATCHALL "\n  \"?[a-z][a-z0-9-]*\"?: \\(" bases "${kernels}")
list(TRANSFORM bases REPLACE "[^a-z]*([a-z][a-z0-9-]*).*" "\"\\1\"")
list(JOIN bases ", " bases)
string(APPEND c "\nconst char *const cli_page_bases[] = {${bases}, NULL};\n")

foreach(part before behind)
    file(WRITE ${page}.${part} "${${part}}")
    file(READ ${page}.${part} hex HEX)
    file(SIZE ${page}.${part} size)
    file(REMOVE ${page}.${part})
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
    string(APPEND c "\nconst unsigned char cli_page_${part}[] = {\n${bytes}};\nconst size_t cli_page_${part}_size = ${size};\n")
endforeach()
file(WRITE ${page}.new "${c}")
file(COPY_FILE ${page}.new ${page} ONLY_IF_DIFFERENT)
file(REMOVE ${page}.new)
