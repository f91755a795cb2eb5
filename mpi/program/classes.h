/* Classes of rows that all ranks share: one pass over the labels, then the same numbers for them everywhere. */
#ifndef CLI_RANKS_CLASSES_H
#define CLI_RANKS_CLASSES_H

#include "cli/data.h"

/* The classes of all rows, in order, for the data and their notes; rows then have their numbers. A status that all agree upon. */
int cli_classes_find(cli_data *data);

/* A reader of codes (code_length numbers) around one of class numbers. */
typedef struct cli_coder {
    orff_reader inner;
    size_t length;  /* of a code: one less than there are classes */
    double *codes;  /* classes x length */
    double *labels; /* room */
    size_t room;
} cli_coder;

int cli_coder_begin(cli_coder *coder, const orff_reader *inner, size_t classes);
orff_reader cli_coder_reader(cli_coder *coder);
void cli_coder_clear(cli_coder *coder);

#endif
