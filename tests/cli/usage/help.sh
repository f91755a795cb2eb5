# Two ways to ask for the same text.
orff help >help
orff --help | cmp - help
grep usage: help
