/* orff-mpi predict: every rank has its share of the points. It writes its part of one NPY file by MPI-IO, under the temporary
 * name that rank 0 has made; the file gets its own from rank 0 when all have written. Files of other kinds are rank 0's: see
 * turns.c. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/apply.h"
#include "cli/data.h"
#include "cli/report.h"
#include "commands.h"
#include "formats/npy_header.h"
#include "ranks.h"
#include "tables.h"
#include "turns.h"

#define BLOCK 4096

static struct {
    orff_file *file; /* of rank 0 */
    char *temporary;
    MPI_File handle;
    bool opened;
    const char *path;
    size_t columns;
    MPI_Offset at; /* where the next rows of this rank go */
} out;

/* ---- which rows */

static void divide(uint64_t rows, uint64_t *first, uint64_t *last) {
    const uint64_t n = (uint64_t)cli_ranks(), r = (uint64_t)cli_rank(), each = rows / n, rest = rows % n;
    *first = each * r + (r < rest ? r : rest);
    *last = *first + each + (r < rest);
}

/* Where a rank writes depends on how many rows those before it have, without missing values. */
static int count(cli_data *data, uint64_t *rows) {
    double *X = cli_more(NULL, BLOCK * data->d, sizeof *X);
    uint64_t first, last;
    size_t n = 1;
    int status = CLI_DONE;
    for (*rows = 0; n && !status; *rows += n) {
        status = cli_other_failed() ? cli_failed("another rank has failed")
                                    : cli_data_read(data, BLOCK, X, NULL, &n);
        if (status) n = 0;
    }
    free(X);
    cli_tables_portions(&first, &last);
    cli_tables_read(data, first, last);
    return cli_agree_early(status);
}

/* ---- the file */

static int fail_io(int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    return cli_failed("%s: cannot be written: %s", out.path, text);
}

static int create(void) {
    const int status = cli_outcome(orff_file_create(&out.file, out.path), NULL);
    if (!status) out.temporary = cli_copy_text(orff_file_temporary(out.file));
    return status;
}

static int write_bytes(MPI_Offset at, const void *bytes, size_t size) {
    MPI_Status status;
    for (size_t done = 0; done < size;) {
        const size_t left = size - done, piece = left < INT_MAX / 2 ? left : INT_MAX / 2;
        int written = 0;
        const int code = MPI_File_write_at(out.handle, at + (MPI_Offset)done, (const char *)bytes + done,
                                           (int)piece, MPI_BYTE, &status);
        if (code != MPI_SUCCESS) return fail_io(code);
        MPI_Get_count(&status, MPI_BYTE, &written);
        if (written < (int)piece) return cli_failed("%s: cannot be written: the disk is full", out.path);
        done += piece;
    }
    return CLI_DONE;
}

static int write_header(uint64_t total) {
    char header[FMT_NPY_HEADER];
    fmt_npy_make_header(total, out.columns, header);
    return write_bytes(0, header, FMT_NPY_HEADER);
}

static int open_shared(const char *path, uint64_t rows, size_t columns) {
    uint64_t before = 0;
    out.path = path;
    out.columns = columns;
    int status = cli_agree(cli_is_first() ? create() : CLI_DONE);
    if (status) return status;
    cli_share_text(&out.temporary);
    const int code =
        MPI_File_open(MPI_COMM_WORLD, out.temporary, MPI_MODE_WRONLY, MPI_INFO_NULL, &out.handle);
    status = cli_agree(code == MPI_SUCCESS ? CLI_DONE : fail_io(code));
    if (status) return status;
    out.opened = true;
    MPI_Exscan(&rows, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    if (cli_is_first()) before = 0;
    out.at = FMT_NPY_HEADER + (MPI_Offset)(before * columns * sizeof(double));
    const uint64_t total = cli_sum(rows);
    return cli_agree(cli_is_first() ? write_header(total) : CLI_DONE);
}

static int write_rows(size_t rows, size_t columns, const double *cells) {
    const size_t size = rows * columns * sizeof *cells;
    if (cli_other_failed()) return cli_failed("another rank has failed");
    if (!out.opened) {
        cli_turns_add(rows * columns, cells);
        return CLI_DONE;
    }
    const int status = write_bytes(out.at, cells, size);
    out.at += (MPI_Offset)size;
    return status;
}

/* What disks and file servers hold back comes out here. */
static int close_shared(void) {
    int code = MPI_File_sync(out.handle);
    const int closing = MPI_File_close(&out.handle);
    out.opened = false;
    if (code == MPI_SUCCESS) code = closing;
    return code == MPI_SUCCESS ? CLI_DONE : fail_io(code);
}

static int finish(int status) {
    status = cli_agree_early(status);
    if (!status) status = cli_agree(close_shared());
    if (!status)
        status = cli_agree(cli_is_first() ? cli_outcome(orff_file_commit(out.file), NULL) : CLI_DONE);
    return status;
}

static void clear(void) {
    if (out.opened) MPI_File_close(&out.handle);
    orff_file_free(out.file);
    free(out.temporary);
    memset(&out, 0, sizeof out);
}

/* ---- the command */

static bool is_array(const char *path) {
    const char *end = strrchr(path, '.');
    return end && !strcmp(end, ".npy");
}

static const cli_predict_sharing sharing = {.agree = cli_agree_early,
                                            .sum = cli_sum,
                                            .first = cli_is_first,
                                            .write = write_rows,
                                            .in_place = is_array,
                                            .divide = divide,
                                            .count = count,
                                            .open = open_shared,
                                            .finish = finish,
                                            .turn = cli_turns_next,
                                            .gather = cli_turns_gather};

static int run(const cli_arguments *a) {
    cli_tables_begin();
    cli_turns_begin();
    cli_predict_shared = &sharing;
    const int status = cli_agree(cli_predict(a, false));
    clear();
    cli_turns_end();
    cli_predict_shared = NULL;
    cli_tables_end();
    return status;
}

const cli_command cli_command_predict_ranks = {
    .name = "predict",
    .summary = "predict at points that many processes share",
    .usage = "MODEL DATA|--grid X=LO:HI:COUNT,.. -o OUT",
    .text = "Evaluates a model on a grid or at the rows of DATA, given as for orff fit under mpirun. Every "
            "process predicts its share. To a .npy file each process writes its own rows, in the order of "
            "the points. DATA is then read twice, because the place where a process writes depends on how "
            "many rows without missing values come before its own. To other files (.csv, .tsv, .nc, or - for "
            "standard output) the first process writes the rows of all.",
    .example = "  mpirun -n 4 orff predict all.orff 'points-*.npy' -o predicted.npy\n",
    .least = 1,
    .most = 2,
    .bit = CLI_BIT(predict),
    .run = run,
};
