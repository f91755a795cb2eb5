/* Predicts rows that are read and written in blocks: memory does not grow with their number. */
#include "base/hooks.h"
#include "base/memory.h"
#include "model/model.h"

enum { BLOCK = 4096 };

typedef struct blocks {
    double *X, *F; /* BLOCK x d, BLOCK x p */
} blocks;

static orff_status one_block(const orff_model *model, const orff_reader *reader, orff_write_fn write,
                             void *self, const blocks *b, uint64_t before, size_t *rows) {
    *rows = 0;
    ORFFI_TRY(orffi_progress("predict", (double)before, 0.0));
    const int code = reader->read(reader->self, BLOCK, b->X, NULL, NULL, rows);
    if (code)
        return orffi_fail(ORFF_ERROR_CALLBACK, "the reader returned %d after row %llu", code,
                          (unsigned long long)before);
    if (*rows > BLOCK)
        return orffi_fail(ORFF_ERROR_CALLBACK, "the reader says it filled %zu rows of %d", *rows, (int)BLOCK);
    if (*rows == 0) return ORFF_OK;
    ORFFI_TRY(orff_model_predict(model, *rows, b->X, b->F));
    const int failed = write(self, *rows, b->X, b->F);
    if (failed)
        return orffi_fail(ORFF_ERROR_CALLBACK, "the writer returned %d after row %llu", failed,
                          (unsigned long long)before);
    return ORFF_OK;
}

orff_status orff_model_predict_stream(const orff_model *model, const orff_reader *reader, orff_write_fn write,
                                      void *self) {
    blocks b = {0};
    uint64_t done = 0;
    size_t rows = 1;
    if (!model || !reader || !reader->read || !write)
        return orffi_fail(ORFF_ERROR_INVALID_ARGUMENT, "orff_model_predict_stream: NULL argument");
    orff_status status = ORFFI_NEW_ARRAY(b.X, BLOCK * model->d);
    if (!status) status = ORFFI_NEW_ARRAY(b.F, BLOCK * model->p);
    for (; !status && rows; done += rows) status = one_block(model, reader, write, self, &b, done, &rows);
    orffi_release(b.X);
    orffi_release(b.F);
    return status;
}
