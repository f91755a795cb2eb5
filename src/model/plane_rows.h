/* Learning on a plane: rows in degrees become rows in km, with their vectors turned, and are learned as any others. Each
 * call is its namesake's of orff.h for settings with geo; the model gets the plane. */
#ifndef ORFFI_MODEL_PLANE_ROWS_H
#define ORFFI_MODEL_PLANE_ROWS_H

#include "engine/table.h"

orff_status orffi_plane_fit(orff_model **model, const orff_settings *settings, size_t d, size_t p, size_t n,
                            const double *X, const double *Y, const double *weights);

/* A copy of whole rows on a plane at their centre. */
orff_status orffi_plane_lay(const orff_settings *settings, size_t d, size_t p, size_t n, const double *X,
                            const double *Y, orff_plane *plane, orffi_table *table);
/* Directed rows (see engine/table.h), in place: inputs X and directions. The plane is at the centre of all but the last
 * `walls`. */
orff_status orffi_plane_lay_directed(const orff_settings *settings, size_t d, size_t p, size_t n,
                                     size_t walls, double *X, double *along, orff_plane *plane);
void orffi_plane_set(orff_model *model, const orff_plane *plane);

orff_status orffi_plane_fit_stream(orff_model **model, const orff_settings *settings, size_t d, size_t p,
                                   const orff_reader *reader);
orff_status orffi_plane_tune(orff_model **model, size_t count, const orff_settings *candidates, size_t d,
                             size_t p, size_t n, const double *X, const double *Y, const double *weights,
                             double *scores, size_t *best, orff_path_point **paths);

/* The plane of the moments becomes the model's. Refuses settings with geo for moments without one. */
orff_status orffi_plane_of_moments(orff_model *model, const orff_settings *settings,
                                   const orff_moments *moments);

#endif
