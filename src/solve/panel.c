#include "solve/panel.h"

#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

static orff_status fill_single(orffi_panel *panel, size_t length) {
    const orff_features *f = panel->f;
    ORFFI_TRY(ORFFI_NEW_ARRAY(panel->phi_single, panel->room * 2 * f->D));
    ORFFI_TRY(ORFFI_NEW_ARRAY(panel->scratch_single, orffi_bank_scratch(f->bank)));
    ORFFI_TRY(ORFFI_NEW_ARRAY(panel->X_single, panel->block * f->d));
    ORFFI_TRY(ORFFI_NEW_ARRAY(panel->V_single, length));
    ORFFI_TRY(ORFFI_NEW_ARRAY(panel->F_single, panel->block * f->p));
    return ORFFI_NEW_ARRAY(panel->U_single, length);
}

orff_status orffi_panel_fill(orffi_panel *panel, const orff_features *f, size_t room, size_t block,
                             bool single) {
    const size_t length = 2 * f->D * f->p;
    *panel = (orffi_panel){.f = f, .single = single, .room = room, .block = block};
    ORFFI_TRY(ORFFI_NEW_ARRAY(panel->V, length));
    ORFFI_TRY(ORFFI_NEW_ARRAY(panel->sum, length));
    if (single) return fill_single(panel, length);
    ORFFI_TRY(ORFFI_NEW_ARRAY(panel->phi, room * 2 * f->D));
    return ORFFI_NEW_ARRAY(panel->scratch, orffi_bank_scratch(f->bank));
}

void orffi_panel_clear(orffi_panel *panel) {
    orffi_release(panel->phi);
    orffi_release(panel->scratch);
    orffi_release(panel->phi_single);
    orffi_release(panel->scratch_single);
    orffi_release(panel->X_single);
    orffi_release(panel->V_single);
    orffi_release(panel->F_single);
    orffi_release(panel->U_single);
    orffi_release(panel->V);
    orffi_release(panel->sum);
    *panel = (orffi_panel){0};
}

static void narrow(size_t n, const double *from, float *to) {
    for (size_t i = 0; i < n; i++) to[i] = (float)from[i];
}

void orffi_panel_phi(orffi_panel *panel, size_t at, size_t n, const double *X) {
    const orff_features *f = panel->f;
    if (!panel->single) {
        orffi_phi(f->bank, n, X, panel->phi + at * 2 * f->D, panel->scratch);
        return;
    }
    narrow(n * f->d, X, panel->X_single);
    orffi_phi_single(f->bank, n, panel->X_single, panel->phi_single + at * 2 * f->D, panel->scratch_single);
}

void orffi_panel_load(orffi_panel *panel, const double *theta) {
    orffi_features_fold(panel->f, theta, panel->V);
    if (panel->single) narrow(2 * panel->f->D * panel->f->p, panel->V, panel->V_single);
}

void orffi_panel_forward(orffi_panel *panel, size_t at, size_t n, double *F) {
    const size_t length = 2 * panel->f->D, p = panel->f->p;
    if (!panel->single) {
        orffi_gemm(false, false, n, p, length, 1, panel->phi + at * length, length, panel->V, p, 0, F, p);
        return;
    }
    orffi_gemm_single(false, false, n, p, length, 1, panel->phi_single + at * length, length, panel->V_single,
                      p, 0, panel->F_single, p);
    for (size_t i = 0; i < n * p; i++) F[i] = (double)panel->F_single[i];
}

void orffi_panel_backward(orffi_panel *panel, size_t at, size_t n, const double *Y) {
    const size_t length = 2 * panel->f->D, p = panel->f->p;
    if (!panel->single) {
        orffi_gemm(true, false, length, p, n, 1, panel->phi + at * length, length, Y, p, 1, panel->sum, p);
        return;
    }
    narrow(n * p, Y, panel->F_single);
    orffi_gemm_single(true, false, length, p, n, 1, panel->phi_single + at * length, length, panel->F_single,
                      p, 0, panel->U_single, p);
    for (size_t i = 0; i < length * p; i++) panel->sum[i] += (double)panel->U_single[i];
}

void orffi_panel_unload(orffi_panel *panel, double *theta) {
    orffi_features_unfold(panel->f, panel->sum, theta);
    memset(panel->sum, 0, 2 * panel->f->D * panel->f->p * sizeof *panel->sum);
}
