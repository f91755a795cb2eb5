/* Blocks in files: the stored blocks of parts that are functions of the caller. */
#include <stdio.h>

#include "base/memory.h"
#include "features/recipe.h"

static void write_name(char name[ORFFI_TENSOR_NAME], size_t m) {
    snprintf(name, ORFFI_TENSOR_NAME, "part.%zu.blocks", m);
}

/* Numbers in a row of a block: complex entries are pairs. */
static size_t row_length(const orffi_kernel_part *part) {
    return orffi_features_block_size(part) / part->p;
}

orff_status orffi_blocks_write(const orff_features *f, orffi_archive_writer *writer) {
    char name[ORFFI_TENSOR_NAME];
    for (size_t m = 0; m < f->kernel->n_parts; m++) {
        const orffi_kernel_part *part = &f->kernel->parts[m];
        const size_t shape[3] = {f->bank->groups[f->part_group[m]].drawn.count, part->p, row_length(part)};
        if (!part->rule->stored) continue;
        write_name(name, m);
        ORFFI_TRY(orffi_archive_add(writer, name, ORFFI_F64, 3, shape, f->blocks[m]));
    }
    return ORFF_OK;
}

/* Checks the shape against the kernel. The count is checked against the bank when the features are
 * created. */
static orff_status read_blocks(const orffi_archive *archive, const orffi_kernel_part *part, size_t m,
                               orffi_kept_blocks *kept) {
    char name[ORFFI_TENSOR_NAME];
    const double *data;
    size_t shape[3];
    write_name(name, m);
    if (!part->rule->stored)
        return orffi_archive_has(archive, name)
                   ? orffi_archive_fail(archive, "\"%s\" is there, but %s needs no blocks", name,
                                        orff_rule_name(part->rule->id))
                   : ORFF_OK;
    ORFFI_TRY(orffi_archive_get(archive, name, ORFFI_F64, 3, shape, &data));
    if (shape[0] == 0 || shape[1] != part->p || shape[2] != row_length(part))
        return orffi_archive_fail(archive, "\"%s\" is %zu x %zu x %zu; expected blocks of %zu x %zu", name,
                                  shape[0], shape[1], shape[2], part->p, row_length(part));
    ORFFI_TRY(orffi_archive_check_finite(archive, name));
    kept->count = shape[0];
    return orffi_duplicate(&kept->B, data, shape[0] * shape[1] * shape[2], sizeof *data);
}

orff_status orffi_features_read(orff_features **features, const orffi_archive *archive,
                                const orffi_bank *bank, const orff_kernel *kernel) {
    const orffi_fields document = orffi_fields_of(archive);
    orffi_kept_blocks *kept;
    ORFFI_TRY(ORFFI_NEW_ARRAY(kept, kernel->n_parts));
    orff_status status = ORFF_OK;
    for (size_t m = 0; !status && m < kernel->n_parts; m++)
        status = read_blocks(archive, &kernel->parts[m], m, &kept[m]);
    if (!status)
        status = orffi_fields_blame(&document, orffi_features_create_from(features, bank, kernel, kept));
    for (size_t m = 0; m < kernel->n_parts; m++) orffi_release(kept[m].B);
    orffi_release(kept);
    return status;
}
