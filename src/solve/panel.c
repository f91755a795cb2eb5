#include "solve/panel.h"

#include <string.h>

#include "base/linalg.h"
#include "base/memory.h"

static orff_status fill_single(orff_panel *panel, size_t length) {
    const orff_features *f = panel->f;
    ORFF_TRY(ORFF_NEW_ARRAY(panel->phi_single, panel->room * 2 * f->D));
    ORFF_TRY(ORFF_NEW_ARRAY(panel->scratch_single, orff_bank_scratch(f->bank)));
    ORFF_TRY(ORFF_NEW_ARRAY(panel->X_single, panel->block * f->d));
    ORFF_TRY(ORFF_NEW_ARRAY(panel->V_single, length));
    ORFF_TRY(ORFF_NEW_ARRAY(panel->F_single, panel->block * f->p));
    return ORFF_NEW_ARRAY(panel->U_single, length);
}

orff_status orff_panel_fill(orff_panel *panel, const orff_features *f, size_t room, size_t block,
                            bool single) {
    const size_t length = 2 * f->D * f->p;
    *panel = (orff_panel){.f = f, .single = single, .room = room, .block = block};
    ORFF_TRY(ORFF_NEW_ARRAY(panel->V, length));
    ORFF_TRY(ORFF_NEW_ARRAY(panel->sum, length));
    if (single) return fill_single(panel, length);
    ORFF_TRY(ORFF_NEW_ARRAY(panel->phi, room * 2 * f->D));
    return ORFF_NEW_ARRAY(panel->scratch, orff_bank_scratch(f->bank));
}

void orff_panel_clear(orff_panel *panel) {
    orff_release(panel->phi);
    orff_release(panel->scratch);
    orff_release(panel->phi_single);
    orff_release(panel->scratch_single);
    orff_release(panel->X_single);
    orff_release(panel->V_single);
    orff_release(panel->F_single);
    orff_release(panel->U_single);
    orff_release(panel->V);
    orff_release(panel->sum);
    *panel = (orff_panel){0};
}

static void narrow(size_t n, const double *from, float *to) {
    for (size_t i = 0; i < n; i++) to[i] = (float)from[i];
}

void orff_panel_phi(orff_panel *panel, size_t at, size_t n, const double *X) {
    const orff_features *f = panel->f;
    if (!panel->single) {
        orff_phi(f->bank, n, X, panel->phi + at * 2 * f->D, panel->scratch);
        return;
    }
    narrow(n * f->d, X, panel->X_single);
    orff_phi_single(f->bank, n, panel->X_single, panel->phi_single + at * 2 * f->D, panel->scratch_single);
}

void orff_panel_load(orff_panel *panel, const double *theta) {
    orff_features_fold(panel->f, theta, panel->V);
    if (panel->single) narrow(2 * panel->f->D * panel->f->p, panel->V, panel->V_single);
}

void orff_panel_forward(orff_panel *panel, size_t at, size_t n, double *F) {
    const size_t length = 2 * panel->f->D, p = panel->f->p;
    if (!panel->single) {
        orff_gemm(false, false, n, p, length, 1, panel->phi + at * length, length, panel->V, p, 0, F, p);
        return;
    }
    orff_gemm_single(false, false, n, p, length, 1, panel->phi_single + at * length, length, panel->V_single,
                     p, 0, panel->F_single, p);
    for (size_t i = 0; i < n * p; i++) F[i] = (double)panel->F_single[i];
}

void orff_panel_backward(orff_panel *panel, size_t at, size_t n, const double *Y) {
    const size_t length = 2 * panel->f->D, p = panel->f->p;
    if (!panel->single) {
        orff_gemm(true, false, length, p, n, 1, panel->phi + at * length, length, Y, p, 1, panel->sum, p);
        return;
    }
    narrow(n * p, Y, panel->F_single);
    orff_gemm_single(true, false, length, p, n, 1, panel->phi_single + at * length, length, panel->F_single,
                     p, 0, panel->U_single, p);
    for (size_t i = 0; i < length * p; i++) panel->sum[i] += (double)panel->U_single[i];
}

void orff_panel_unload(orff_panel *panel, double *theta) {
    orff_features_unfold(panel->f, panel->sum, theta);
    memset(panel->sum, 0, 2 * panel->f->D * panel->f->p * sizeof *panel->sum);
}
