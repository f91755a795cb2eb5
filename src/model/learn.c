/* The simple call: settings as texts, an array of inputs and an array of outputs. */
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* "name=value" */
static orff_status set_pair(orff_options *options, const char *pair) {
    char name[64];
    const size_t length = strcspn(pair, "=");
    if (!pair[length] || length >= sizeof name)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "\"%.60s\" is not name=value", pair);
    memcpy(name, pair, length);
    name[length] = '\0';
    return orff_options_set(options, name, pair + length + 1);
}

orff_status orff_learn(orff_model **model, const char *const *settings, size_t d, size_t p, size_t n,
                       const double *X, const double *Y) {
    const orff_data_shape shape = {.d = d, .p = p, .n = n, .X = X, .Y = Y};
    orff_options *options = NULL;
    orff_settings resolved;
    if (!model || !X || !Y) return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_learn: NULL argument");
    orff_status status = orff_options_create(&options);
    for (; !status && settings && *settings; settings++) status = set_pair(options, *settings);
    if (!status) status = orff_options_resolve(options, &shape, &resolved);
    if (!status) status = orff_model_fit(model, &resolved, d, p, n, X, Y, NULL);
    orff_options_free(options);
    return status;
}
