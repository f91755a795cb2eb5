#include "sums.h"

#include "ranks.h"

/* ---- moments of either kind */

uint64_t cli_sums_size(const cli_moments *m) {
    return m->lattice ? orff_lattice_moments_size(m->lattice) : orff_moments_size(m->features);
}

static orff_rows room_of(const cli_moments *m) {
    return m->lattice ? orff_lattice_moments_room(m->lattice) : orff_moments_room(m->features);
}

static orff_status widen(cli_moments *m, orff_rows rows) {
    return m->lattice ? orff_lattice_moments_widen(m->lattice, rows) : orff_moments_widen(m->features, rows);
}

static orff_status create_like(cli_moments *m, const cli_moments *like, orff_rows rows) {
    const orff_status status = like->lattice ? orff_lattice_moments_create_like(&m->lattice, like->lattice)
                                             : orff_moments_create_like(&m->features, like->features);
    return status ? status : widen(m, rows);
}

static orff_status read_rows(cli_moments *m, const orff_reader *whole,
                             const orff_observation_reader *observed) {
    if (m->lattice)
        return observed ? orff_lattice_moments_read_observations(m->lattice, observed)
                        : orff_lattice_moments_read(m->lattice, whole);
    return observed ? orff_moments_read_observations(m->features, observed)
                    : orff_moments_read(m->features, whole);
}

static orff_status add_onto(orff_mpi_sum *sum, const cli_moments *m) {
    return m->lattice ? orff_mpi_sum_add_lattice_moments(sum, m->lattice)
                      : orff_mpi_sum_add_moments(sum, m->features);
}

static orff_status empty(cli_moments *m) {
    return m->lattice ? orff_lattice_moments_subtract(m->lattice, m->lattice)
                      : orff_moments_subtract(m->features, m->features);
}

static orff_status reduce(orff_mpi_sum *sum, cli_moments *m) {
    return m->lattice ? orff_mpi_sum_lattice_moments(MPI_COMM_WORLD, sum, m->lattice, 0)
                      : orff_mpi_sum_moments(MPI_COMM_WORLD, sum, m->features, 0);
}

static orff_status add(cli_moments *into, const cli_moments *other) {
    return into->lattice ? orff_lattice_moments_add(into->lattice, other->lattice)
                         : orff_moments_add(into->features, other->features);
}

/* ---- portions */

/* On a plane outputs are turned, and one of two becomes what is seen along a direction. */
static orff_rows grown_room(const cli_moments *like) {
    const bool turned = like->lattice || orff_moments_describe(like->features).on_plane;
    return turned ? ORFF_ROWS_DIRECTED : ORFF_ROWS_PARTED;
}

orff_status cli_sums_begin(cli_sums *s, cli_moments *like, orff_rows rows) {
    *s = (cli_sums){.like = like, .grown = grown_room(like)};
    const orff_status status = widen(like, rows == ORFF_ROWS_WHOLE || rows > s->grown ? rows : s->grown);
    s->room = room_of(like);
    return status ? status : orff_mpi_sum_create(&s->sum, cli_sums_size(like));
}

void cli_sums_clear(cli_sums *s) {
    orff_mpi_sum_free(s->sum);
    orff_mpi_sum_free(s->more);
    cli_moments_clear(&s->portion);
    *s = (cli_sums){0};
}

static orff_status add_grown(cli_sums *s) {
    orff_status status = widen(&s->portion, s->grown);
    if (!status && !s->more) status = orff_mpi_sum_create(&s->more, cli_sums_size(&s->portion));
    if (!status) status = add_onto(s->more, &s->portion);
    cli_moments_clear(&s->portion);
    return status;
}

/* The moments of a portion serve the next one too: memory that is new to the process for every portion would take as long as a
 * fifth of small ones. */
orff_status cli_sums_add(cli_sums *s, const orff_reader *whole, const orff_observation_reader *observed) {
    cli_moments *one = &s->portion;
    orff_status status = one->lattice || one->features ? ORFF_OK : create_like(one, s->like, s->room);
    if (!status) status = read_rows(one, whole, observed);
    if (status) return status;
    if (room_of(one) != s->room) return add_grown(s);
    status = add_onto(s->sum, one);
    return status ? status : empty(one);
}

/* ---- all ranks */

/* What some ranks have beside the sum; those that have none bring zeros. */
static orff_status reduce_grown(cli_sums *s, cli_moments *moments) {
    cli_moments grown = {0};
    orff_status status = create_like(&grown, s->like, s->grown);
    if (!status && !s->more) status = orff_mpi_sum_create(&s->more, cli_sums_size(&grown));
    status = orff_mpi_agree(MPI_COMM_WORLD, status, orff_error_message());
    if (!status) status = reduce(s->more, &grown);
    if (!status)
        status = orff_mpi_agree(MPI_COMM_WORLD, cli_is_first() ? add(moments, &grown) : ORFF_OK,
                                orff_error_message());
    cli_moments_clear(&grown);
    return status;
}

orff_status cli_sums_reduce(cli_sums *s, cli_moments *moments) {
    const bool grown = cli_sum(s->more != NULL) > 0;
    const orff_status status = reduce(s->sum, moments);
    return status || !grown ? status : reduce_grown(s, moments);
}
