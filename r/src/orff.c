/* R over liborff. Points come transposed (d x n, column-major), which is n x d as the library has them. */
#define R_NO_REMAP /* names such as warning are members of structs here */
#include <R.h>
#include <R_ext/Rdynload.h>
#include <Rinternals.h>
#include <orff.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors and interrupts */

/* An error of R does not come back: nothing may be held that is not R's own. The library's words say what is wrong; R's call
 * would be one of ours. */
static void check(orff_status status) {
    if (status == ORFF_ERROR_CANCELLED) Rf_errorcall(R_NilValue, "interrupted");
    if (status)
        Rf_errorcall(R_NilValue, "%s",
                     *orff_error_message() ? orff_error_message() : orff_status_text(status));
}

static void look_for_interrupt(void *unused) {
    (void)unused;
    R_CheckUserInterrupt();
}

/* R would jump out of the library; so it is asked from a place from which it cannot. */
static bool go_on(void *self, const char *task, double done, double total) {
    (void)self, (void)task, (void)done, (void)total;
    return R_ToplevelExec(look_for_interrupt, NULL);
}

static const orff_hooks hooks = {.progress = go_on};

/* ---- models as external pointers */

static void finalize(SEXP pointer) {
    orff_model_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

/* The place is R's before there is a model to put there, so that none is lost. */
static SEXP new_place(void) {
    SEXP pointer = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(pointer, finalize, TRUE);
    UNPROTECT(1);
    return pointer;
}

static orff_model *model_of(SEXP pointer) {
    orff_model *model = TYPEOF(pointer) == EXTPTRSXP ? R_ExternalPtrAddr(pointer) : NULL;
    if (!model)
        Rf_errorcall(
            R_NilValue,
            "the model is gone: models do not survive save() and saveRDS(); use orff_save() and orff_load()");
    return model;
}

/* ---- texts */

/* Texts for the library, ending with NULL, none of R's NULL: memory that R takes back after the call. */
static const char **texts_of(SEXP strings) {
    const R_xlen_t count = Rf_xlength(strings);
    const char **texts = (const char **)R_alloc((size_t)count + 1, sizeof *texts);
    for (R_xlen_t i = 0; i < count; i++) texts[i] = Rf_translateCharUTF8(STRING_ELT(strings, i));
    texts[count] = NULL;
    return texts;
}

/* ---- names of columns, in the notes of the model */

static orff_status set_names(orff_notes *notes, orff_side side, size_t count, const char *const *names) {
    orff_status status = ORFF_OK;
    for (size_t i = 0; !status && i < count; i++) status = orff_notes_set_name(notes, side, i, names[i]);
    return status;
}

static orff_status keep_names(orff_model *model, size_t d, size_t p, const char *const *inputs,
                              const char *const *outputs) {
    orff_notes *notes = NULL;
    const char *text = "";
    orff_status status = orff_notes_create(&notes, d, p);
    if (!status) status = orff_notes_set_named(notes, true);
    if (!status) status = set_names(notes, ORFF_SIDE_INPUT, d, inputs);
    if (!status) status = set_names(notes, ORFF_SIDE_OUTPUT, p, outputs);
    if (!status) status = orff_notes_text(notes, &text);
    if (!status) status = orff_model_set_notes(model, text);
    orff_notes_free(notes);
    return status;
}

/* A character vector, NULL where a name is not known. The notes are freed by an external pointer: R may jump. */
static SEXP names_of(const orff_notes *notes, orff_side side, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!orff_notes_name(notes, side, i) || !*orff_notes_name(notes, side, i)) return R_NilValue;
    SEXP names = PROTECT(Rf_allocVector(STRSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++)
        SET_STRING_ELT(names, (R_xlen_t)i, Rf_mkCharCE(orff_notes_name(notes, side, i), CE_UTF8));
    UNPROTECT(1);
    return names;
}

static void finalize_notes(SEXP pointer) {
    orff_notes_free(R_ExternalPtrAddr(pointer));
    R_ClearExternalPtr(pointer);
}

/* ---- what R calls */

static SEXP C_orff_fit(SEXP X, SEXP Y, SEXP settings, SEXP inputs, SEXP outputs) {
    const size_t d = (size_t)Rf_nrows(X), p = (size_t)Rf_nrows(Y), n = (size_t)Rf_ncols(X);
    SEXP pointer = PROTECT(new_place());
    const char *const *texts = texts_of(settings);
    const char *const *from = texts_of(inputs), *const *to = texts_of(outputs);
    orff_model *model = NULL;
    orff_set_hooks(&hooks);
    orff_status status = orff_learn(&model, texts, d, p, n, REAL(X), REAL(Y));
    orff_set_hooks(NULL);
    R_SetExternalPtrAddr(pointer, model);
    check(status);
    if (from[0] && to[0]) check(keep_names(model, d, p, from, to));
    UNPROTECT(1);
    return pointer;
}

/* p x n: values, or standard errors. */
static SEXP C_orff_predict(SEXP pointer, SEXP X) {
    const orff_model *model = model_of(pointer);
    const orff_model_info info = orff_model_describe(model);
    if (info.classes)
        Rf_errorcall(R_NilValue, "the model tells classes, which the R package does not read yet");
    SEXP F = PROTECT(Rf_allocMatrix(REALSXP, (int)info.outputs, Rf_ncols(X)));
    check(orff_model_predict(model, (size_t)Rf_ncols(X), REAL(X), REAL(F)));
    UNPROTECT(1);
    return F;
}

static SEXP C_orff_std(SEXP pointer, SEXP X, SEXP with_noise) {
    const orff_model *model = model_of(pointer);
    const orff_model_info info = orff_model_describe(model);
    SEXP S = PROTECT(Rf_allocMatrix(REALSXP, (int)info.outputs, Rf_ncols(X)));
    check(orff_model_std(model, (size_t)Rf_ncols(X), REAL(X), Rf_asLogical(with_noise) == TRUE, REAL(S)));
    UNPROTECT(1);
    return S;
}

static SEXP numbers(const double *values, size_t count) {
    SEXP vector = PROTECT(Rf_allocVector(REALSXP, (R_xlen_t)count));
    for (size_t i = 0; i < count; i++) REAL(vector)[i] = values ? values[i] : NA_REAL;
    UNPROTECT(1);
    return vector;
}

static SEXP C_orff_describe(SEXP pointer) {
    static const char *const names[] = {"d",      "p",       "rows",   "kernel",       "engine",
                                        "lambda", "noise",   "cv_mse", "log_evidence", "warning",
                                        "inputs", "outputs", ""};
    const orff_model *model = model_of(pointer);
    const orff_model_info info = orff_model_describe(model);
    SEXP list = PROTECT(Rf_mkNamed(VECSXP, (const char **)names));
    SEXP place = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(place, finalize_notes, TRUE);
    orff_notes *notes = NULL;
    check(orff_notes_parse(&notes, orff_model_notes(model), info.inputs, info.outputs, info.classes));
    R_SetExternalPtrAddr(place, notes);
    SET_VECTOR_ELT(list, 0, Rf_ScalarInteger((int)info.inputs));
    SET_VECTOR_ELT(list, 1, Rf_ScalarInteger((int)info.outputs));
    SET_VECTOR_ELT(list, 2, Rf_ScalarReal((double)info.rows));
    SET_VECTOR_ELT(list, 3, Rf_ScalarString(Rf_mkCharCE(info.kernel, CE_UTF8)));
    SET_VECTOR_ELT(list, 4, Rf_mkString(orff_engine_name(info.engine)));
    SET_VECTOR_ELT(list, 5, Rf_ScalarReal(info.lambda));
    SET_VECTOR_ELT(list, 6, numbers(info.noise, info.outputs));
    SET_VECTOR_ELT(list, 7, Rf_ScalarReal(info.cv_mse));
    SET_VECTOR_ELT(list, 8, Rf_ScalarReal(info.log_evidence));
    SET_VECTOR_ELT(list, 9, Rf_ScalarString(Rf_mkCharCE(info.warning ? info.warning : "", CE_UTF8)));
    SET_VECTOR_ELT(list, 10, names_of(notes, ORFF_SIDE_INPUT, info.inputs));
    SET_VECTOR_ELT(list, 11, names_of(notes, ORFF_SIDE_OUTPUT, info.outputs));
    UNPROTECT(2);
    return list;
}

static SEXP C_orff_save(SEXP pointer, SEXP path) {
    check(orff_model_save(model_of(pointer), CHAR(STRING_ELT(path, 0)), false));
    return R_NilValue;
}

static SEXP C_orff_load(SEXP path) {
    SEXP pointer = PROTECT(new_place());
    orff_model *model = NULL;
    const orff_status status = orff_model_load(&model, CHAR(STRING_ELT(path, 0)));
    R_SetExternalPtrAddr(pointer, status ? NULL : model);
    check(status);
    UNPROTECT(1);
    return pointer;
}

static SEXP C_orff_library(void) {
    SEXP words = PROTECT(Rf_allocVector(STRSXP, 2));
    SET_STRING_ELT(words, 0, Rf_mkChar(orff_version()));
    SET_STRING_ELT(words, 1, Rf_mkChar(orff_build_info()));
    UNPROTECT(1);
    return words;
}

static SEXP C_orff_threads(SEXP count) {
    const int before = (int)orff_get_threads();
    if (!Rf_isNull(count)) {
        if (Rf_asInteger(count) == NA_INTEGER || Rf_asInteger(count) < 0)
            Rf_errorcall(R_NilValue, "count must be a number of threads, or 0 for all");
        check(orff_set_threads((size_t)Rf_asInteger(count)));
    }
    return Rf_ScalarInteger(before);
}

#define ENTRY(name, arguments) \
    { #name, (DL_FUNC)&name, arguments }

static const R_CallMethodDef entries[] = {
    ENTRY(C_orff_fit, 5),      ENTRY(C_orff_predict, 2), ENTRY(C_orff_std, 3),
    ENTRY(C_orff_describe, 1), ENTRY(C_orff_save, 2),    ENTRY(C_orff_load, 1),
    ENTRY(C_orff_library, 0),  ENTRY(C_orff_threads, 1), {NULL, NULL, 0}};

void R_init_orff(DllInfo *info);
void R_init_orff(DllInfo *info) {
    R_registerRoutines(info, NULL, entries, NULL, NULL);
    R_useDynamicSymbols(info, FALSE);
    R_forceSymbols(info, TRUE);
}
