#include "turns.h"

#include <stdlib.h>
#include <string.h>

#include "cli/report.h"
#include "ranks.h"
#include "tables.h"

#define PART  ((uint64_t)16384)   /* points of a grid that a rank has in a turn */
#define PIECE ((uint64_t)1 << 22) /* numbers of a message, about */

static struct {
    uint64_t turn;
    size_t count, room;
    double *numbers; /* of this rank, in this turn */
} own;

void cli_turns_begin(void) {
    memset(&own, 0, sizeof own);
}

void cli_turns_end(void) {
    free(own.numbers);
    cli_turns_begin();
}

void cli_turns_add(size_t count, const double *numbers) {
    if (own.count + count > own.room) {
        own.room = 2 * (own.count + count);
        own.numbers = cli_more(own.numbers, own.room, sizeof *own.numbers);
    }
    memcpy(own.numbers + own.count, numbers, count * sizeof *numbers);
    own.count += count;
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Parts are dealt out like cards. */
bool cli_turns_next(cli_data *data, uint64_t rows, uint64_t *first, uint64_t *last) {
    const uint64_t n = (uint64_t)cli_ranks(), parts = rows ? (rows + PART - 1) / PART : cli_tables_divided();
    const uint64_t part = least(own.turn * n + (uint64_t)cli_rank(), parts);
    if (own.turn++ * n >= parts) return false;
    *first = least(part * PART, rows);
    *last = least((part + 1) * PART, rows);
    if (!rows) cli_tables_read(data, part, least(part + 1, parts));
    return true;
}

static void send(size_t columns) {
    const uint64_t piece = (PIECE / columns + 1) * columns, count = own.count;
    MPI_Send(&count, 1, MPI_UINT64_T, 0, 0, MPI_COMM_WORLD);
    for (uint64_t at = 0; at < count; at += piece)
        MPI_Send(own.numbers + at, (int)least(piece, count - at), MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
}

/* All is received, also where it can no longer be put. */
static int receive(int rank, int status, int (*put)(void *, size_t, const double *), void *self,
                   size_t columns) {
    const uint64_t piece = (PIECE / columns + 1) * columns;
    uint64_t count;
    MPI_Recv(&count, 1, MPI_UINT64_T, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    double *numbers = cli_more(NULL, (size_t)least(piece, count), sizeof *numbers);
    for (uint64_t at = 0; at < count; at += piece) {
        const uint64_t here = least(piece, count - at);
        MPI_Recv(numbers, (int)here, MPI_DOUBLE, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (!status) status = put(self, (size_t)here / columns, numbers);
    }
    free(numbers);
    return status;
}

int cli_turns_gather(int status, int (*put)(void *self, size_t rows, const double *cells), void *self,
                     size_t columns) {
    status = cli_agree_early(status);
    if (status) return status;
    if (cli_is_first()) {
        if (own.count) status = put(self, own.count / columns, own.numbers);
        for (int rank = 1; rank < cli_ranks(); rank++) status = receive(rank, status, put, self, columns);
    } else {
        send(columns);
    }
    own.count = 0;
    return cli_agree(status);
}
