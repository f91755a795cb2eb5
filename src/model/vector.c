/* Whether the outputs of a model are components of a vector. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "model/model.h"

static bool is_letter(char c, char letter) {
    return tolower((unsigned char)c) == letter;
}

/* u10, v10: letters u, v, w followed by the same ending. */
static bool are_leading(size_t p, const char *const *names) {
    for (size_t k = 0; k < p; k++)
        if (!is_letter(names[k][0], "uvw"[k]) || strcmp(names[k] + 1, names[0] + 1) != 0) return false;
    return true;
}

/* vx, vy: the same beginning followed by letters x, y, z. */
static bool are_trailing(size_t p, const char *const *names) {
    const size_t length = strlen(names[0]);
    for (size_t k = 0; k < p; k++)
        if (length < 2 || strlen(names[k]) != length || strncmp(names[k], names[0], length - 1) != 0 ||
            !is_letter(names[k][length - 1], "xyz"[k]))
            return false;
    return true;
}

static bool begins(const char *text, const char *with) {
    return text && !strncasecmp(text, with, strlen(with));
}

static bool are_named(size_t p, const orff_notes *notes) {
    const char *names[3] = {NULL}, *standard[3] = {NULL};
    bool known = true;
    for (size_t k = 0; k < p; k++) {
        names[k] = orff_notes_name(notes, ORFF_SIDE_OUTPUT, k);
        standard[k] = orff_notes_standard_name(notes, ORFF_SIDE_OUTPUT, k);
        known = known && names[k];
    }
    if (begins(standard[0], "eastward_") && begins(standard[1], "northward_")) return true;
    return known && (are_leading(p, names) || are_trailing(p, names) ||
                     (begins(names[0], "eastward") && begins(names[1], "northward")));
}

bool orff_model_is_vector(const orff_model *model) {
    orff_notes *notes = NULL;
    if (!model || model->classes || (model->p != 2 && model->p != 3)) return false;
    const orff_kernel *kernel = orffi_model_kernel(model);
    for (size_t m = 0; m < kernel->n_parts; m++)
        if (kernel->parts[m].rule->physical) return true;
    if (model->on_plane) return true;
    if (orff_notes_parse(&notes, orff_model_notes(model), model->d, model->p, 0)) return false;
    const bool named = are_named(model->p, notes);
    orff_notes_free(notes);
    return named;
}
