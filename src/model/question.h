/* What a fit is to compute, as JSON: two fits of the same rows with equal questions give the same model. */
#ifndef ORFFI_MODEL_QUESTION_H
#define ORFFI_MODEL_QUESTION_H

#include "engine/engine.h"

/* Everything in the settings that influences the model, and the shape of the data: d inputs, p columns of
 * outputs, rows in memory (0: a stream). NULL if memory runs out. */
json_t *orffi_question(const orff_settings *settings, size_t d, size_t p, bool weighted, size_t rows);

/* The checkpoint that the settings ask for, or NULL. */
orff_status orffi_question_open(orffi_checkpoint **checkpoint, const orff_settings *settings,
                                const orffi_engine *engine, size_t d, size_t p, bool weighted, size_t rows);

/* ORFF_ERROR_UNSUPPORTED if settings ask for checkpoints where `what` keeps none. */
orff_status orffi_question_refuse(const orff_settings *settings, const char *what);

#endif
