/* A model as a file gives it back. For tests that define _POSIX_C_SOURCE before anything else. */
#ifndef ORFF_TESTS_RELOAD_H
#define ORFF_TESTS_RELOAD_H

#include <stdlib.h>
#include <unistd.h>

#include "support.h"

/* Takes the model. */
static inline orff_model *support_reload(orff_model *model) {
    char path[] = "model-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_ok(orff_model_save(model, path, false));
    orff_model_free(model);
    assert_ok(orff_model_load(&model, path));
    unlink(path);
    return model;
}

#endif
