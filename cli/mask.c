#include "mask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lattice.h"
#include "report.h"

static int parse_entry(const cli_arguments *a, const char *name, const char *value, orff_mask *mask) {
    double *limit = !strcmp(name, "distance") ? &mask->distance : !strcmp(name, "std") ? &mask->std : NULL;
    if (!limit) return cli_wrong(a, CLI_OPT_MASK, "\"%s\" is not known; expected distance=R or std=S", name);
    if (!value || !cli_scan_number(value, "", limit) || !(*limit > 0.0))
        return cli_wrong(a, CLI_OPT_MASK, "%s=\"%s\": expected a number above 0", name, value ? value : "");
    return CLI_DONE;
}

/* Checks, before any work, that the model has what a limit needs. */
static int check(const cli_arguments *a, const cli_applied *ap, const orff_mask *mask) {
    if (isfinite(mask->distance) && !ap->info.places)
        return cli_failed(
            "--mask distance: %s does not contain the positions of its rows: it was learned from moments or "
            "by an older version, or has many inputs; try --mask std=S",
            a->words[0]);
    if (isfinite(mask->std) && !ap->info.has_posterior)
        return cli_failed(
            "--mask std: the model was saved without a posterior, so it has no error bars; fit it again with "
            "--posterior yes");
    if (isfinite(mask->distance) && ap->info.resolution > 0.1 * mask->distance)
        cli_say("--mask distance: the positions of the rows are known only to %.2g", ap->info.resolution);
    return CLI_DONE;
}

int cli_mask_parse(const cli_arguments *a, const cli_applied *ap, orff_mask *mask, bool *given) {
    const char *text = cli_text(a, CLI_OPT_MASK);
    *mask = orff_mask_default();
    *given = text != NULL;
    if (!text) return CLI_DONE;
    char *copy = cli_copy_text(text), *at = copy;
    int status = CLI_DONE;
    while (!status && at) {
        char *value = NULL;
        const char *name = cli_cut_entry(&at, &value);
        status = parse_entry(a, name, value, mask);
    }
    free(copy);
    return status ? status : check(a, ap, mask);
}

int cli_mask_points(const cli_applied *ap, const orff_mask *mask, size_t n, const double *X, bool *masked) {
    return cli_outcome(orff_model_mask(ap->model, mask, n, X, masked), "--mask");
}

bool cli_mask_prior(const cli_applied *ap, double *prior) {
    return ap->info.has_posterior && orff_model_prior_std(ap->model, prior) == ORFF_OK;
}
