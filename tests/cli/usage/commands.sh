# Every command has help, with its usage and an example; a manual page; and the version.
orff --version >version
for command in fit predict evaluate tune info kernel bound moments merge plan plot view; do
    orff help $command >help
    orff $command --help | cmp - help
    orff $command -h | cmp - help
    grep -o -e "^usage: orff $command " -e '^example:$' -e '^  --json$' help
    orff help --man $command | grep '^\.TH' | cut -d ' ' -f 1-2
    orff $command --version | cmp - version
done
