/* Which inputs form the space of a field, and advice where their number differs from that of the outputs. */
#include "model/kernel_words.h"

#include <stdio.h>
#include <strings.h>

#include "base/memory.h"

#define ADVICE_ROOM 400

orff_status orffi_read_space(orffi_kernel_read *k, const char *text, const orff_data_shape *shape,
                             size_t *count) {
    bool *covariate;
    ORFFI_TRY(ORFFI_NEW_ARRAY(covariate, shape->d));
    orff_status status = ORFFI_NEW_ARRAY(k->space, shape->d);
    if (!status) status = orffi_covariates_read(text, shape, covariate);
    if (status && status != ORFF_ERROR_NO_MEMORY) k->culprit = "covariates";
    *count = 0;
    for (size_t i = 0; !status && i < shape->d; i++)
        if (!covariate[i]) k->space[(*count)++] = i;
    orffi_release(covariate);
    return status;
}

/* Names of inputs that are rarely part of a field's space. */
static bool is_outside(const char *name) {
    static const char *const outside[] = {"time", "date", "hour", "day", "month", "year", "depth", "level"};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++)
        if (!strncasecmp(name, outside[i], strlen(outside[i]))) return true;
    return false;
}

/* Removes one of `count` inputs from a space: one whose name is not spatial, or else the last. */
static void leave_out(const orff_data_shape *shape, size_t *space, size_t count) {
    size_t k = count - 1;
    while (k && !is_outside(shape->inputs[space[k]])) k--;
    if (!is_outside(shape->inputs[space[k]])) k = count - 1;
    memmove(space + k, space + k + 1, (count - 1 - k) * sizeof *space);
}

/* Advice as text, "" if none is needed; names the inputs that are probably meant. Reduces the space to p
 * inputs. */
static void advise(orffi_kernel_read *k, const orff_data_shape *shape, size_t count, size_t p,
                   char text[ADVICE_ROOM]) {
    size_t used = 0, next = 0;
    *text = '\0';
    if (count <= p) return;
    snprintf(text, ADVICE_ROOM, "; name those outside of the field's space as covariates");
    if (!shape->inputs) return;
    for (; count > p; count--) leave_out(shape, k->space, count);
    for (size_t i = 0; i < shape->d && used < ADVICE_ROOM - 100; i++) {
        if (next < count && k->space[next] == i) {
            next++;
            continue;
        }
        used = strlen(text);
        snprintf(text + used, ADVICE_ROOM - used, "%s%.60s", strstr(text, " --") ? "," : ": --covariates ",
                 shape->inputs[i]);
    }
}

orff_status orffi_set_space(orffi_kernel_read *k, const orff_data_shape *shape, size_t p, size_t count) {
    for (size_t m = 0; m < k->n; m++) {
        const bool physical = orff_rule_describe(k->parts[m].rule).physical;
        char advice[ADVICE_ROOM] = "";
        if (physical && count != p) {
            advise(k, shape, count, p, advice);
            return orffi_kernel_wrong(k, "kernel",
                                      "%s needs as many inputs as outputs, but there are %zu and %zu%s",
                                      orff_rule_name(k->parts[m].rule), count, p, advice);
        }
        if ((physical || k->automatic) && count == p && count < shape->d) k->parts[m].space = k->space;
    }
    return ORFF_OK;
}
