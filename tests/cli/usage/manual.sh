# The manual page of the program, and completion for bash.
orff help --man | grep '^\.TH' | cut -d ' ' -f 1-3
orff help --completion | grep -o -- '-F _orff orff'
