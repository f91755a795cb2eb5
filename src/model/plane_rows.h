/* Learning on a plane: rows in degrees become rows in km, vectors turned, and are learned as any others.
 * Each function corresponds to the function of orff.h with the same name, for settings with geo; the model
 * keeps the plane. */
#ifndef ORFFI_MODEL_PLANE_ROWS_H
#define ORFFI_MODEL_PLANE_ROWS_H

#include "engine/table.h"

orff_status orffi_plane_fit(orff_model **model, const orff_settings *settings, size_t d, size_t p, size_t n,
                            const double *X, const double *Y, const double *weights);

/* Copies complete rows to a plane at their centre. */
orff_status orffi_plane_lay(const orff_settings *settings, size_t d, size_t p, size_t n, const double *X,
                            const double *Y, orff_plane *plane, orffi_table *table);
/* The same for directed rows (see engine/table.h), in place: inputs X and directions. The last `walls`
 * rows do not count for the centre. */
orff_status orffi_plane_lay_directed(const orff_settings *settings, size_t d, size_t p, size_t n,
                                     size_t walls, double *X, double *along, orff_plane *plane);
void orffi_plane_set(orff_model *model, const orff_plane *plane);

orff_status orffi_plane_fit_stream(orff_model **model, const orff_settings *settings, size_t d, size_t p,
                                   const orff_reader *reader);
orff_status orffi_plane_tune(orff_model **model, size_t count, const orff_settings *candidates, size_t d,
                             size_t p, size_t n, const double *X, const double *Y, const double *weights,
                             double *scores, size_t *best, orff_path_point **paths);

/* Gives the model the plane of the moments. Fails for settings with geo if the moments have no plane. */
orff_status orffi_plane_of_moments(orff_model *model, const orff_settings *settings,
                                   const orff_moments *moments);

#endif
