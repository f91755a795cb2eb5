#define _GNU_SOURCE

#include "ranks.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/report.h"
#include "orff_mpi.h"

static struct {
    int rank, size;
    size_t threads; /* that this rank may have while the others wait; 0: as it was told */
    int failed;     /* what all have agreed upon; 0: nothing yet */
    int heard;      /* messages of others that have failed */
    bool ended;
} run = {.size = 1};

int cli_rank(void) {
    return run.rank;
}

int cli_ranks(void) {
    return run.size;
}

bool cli_is_first(void) {
    return run.rank == 0;
}

/* ---- beginning and end */

__attribute__((format(printf, 1, 2))) static void print_message(const char *format, ...) {
    va_list list;
    va_start(list, format);
    cli_print_message("", format, list);
    va_end(list);
}

/* Who leaves by exit() in the middle (there is no memory) takes the others along, who would wait for it for ever. */
static void abort_all(void) {
    if (run.ended) return;
    if (*cli_kept_failure()) print_message("%s (rank %d)", cli_kept_failure(), run.rank);
    MPI_Abort(MPI_COMM_WORLD, CLI_FAILED);
}

/* Ranks of one machine that were not bound to processors of their own share them all. */
static void divide_threads(void) {
    MPI_Comm node;
    cpu_set_t mine;
    int together;
    /* Of all ranks, before anything that may differ between them. */
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &together);
    MPI_Comm_free(&node);
    if (getenv("OMP_NUM_THREADS") || sched_getaffinity(0, sizeof mine, &mine)) return;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    const int bound = CPU_COUNT(&mine);
    const int threads = bound < processors ? bound : bound / together;
    run.threads = (size_t)bound;
    orff_set_threads(threads > 1 ? (size_t)threads : 1);
}

void cli_use_all_threads(void) {
    if (run.threads && run.rank == 0) orff_set_threads(run.threads);
}

static uint64_t digest_words(int count, char **words) {
    uint64_t hash = 14695981039346656037u;
    for (int i = 1; i < count; i++)
        for (const char *at = words[i];; at++) {
            hash = (hash ^ (unsigned char)*at) * 1099511628211u;
            if (!*at) break;
        }
    for (const char *at = orff_version(); *at; at++) hash = (hash ^ (unsigned char)*at) * 1099511628211u;
    return hash;
}

void cli_ranks_begin(int *count, char ***words) {
    int provided;
    MPI_Init_thread(count, words, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.size);
    atexit(abort_all);
    cli_keep_failures(true);
    if (run.rank) cli_be_quiet();
    divide_threads();
    if (orff_mpi_check_same(MPI_COMM_WORLD, digest_words(*count, *words), "the words of the command"))
        cli_agree_on(ORFF_ERROR_MISMATCH);
}

int cli_ranks_end(int status) {
    status = cli_agree(status);
    run.ended = true;
    MPI_Finalize();
    return status;
}

/* ---- agreeing */

static void show(int first, const char *message) {
    static const char ours[] = "orff: ";
    if (first == 0) {
        print_message("%s", message);
    } else {
        print_message("%srank %d: %s", ours, first,
             message + (strncmp(message, ours, strlen(ours)) ? 0 : strlen(ours)));
    }
}

/* Ranks that wait for one that works do not keep its processors busy. */
static void wait_for(MPI_Request *request) {
    const struct timespec nap = {.tv_nsec = 500000};
    int done = 0;
    for (int i = 0; !done; i++) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (!done && i > 1000) nanosleep(&nap, NULL);
    }
}

/* The first rank that has failed by itself, the size where none has. Of those that only stopped because another had failed
 * nobody is told. */
static int find_first(int status) {
    int mine = !status ? run.size : run.heard ? run.size + 1 : run.rank, first;
    MPI_Request request;
    MPI_Iallreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_for(&request);
    return first;
}

/* ---- failures that the others hear of while they work */

enum { FAILED = 77 }; /* the tag of empty messages */

bool cli_other_failed(void) {
    int there = 0;
    MPI_Status status;
    if (!run.heard && run.size > 1) MPI_Iprobe(MPI_ANY_SOURCE, FAILED, MPI_COMM_WORLD, &there, &status);
    if (!there) return run.heard > 0;
    MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, FAILED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    run.heard++;
    return true;
}

/* Says whether it was done: who has heard of another need not. */
static int notify_others(void) {
    if (cli_other_failed()) return 0;
    for (int rank = 0; rank < run.size; rank++)
        if (rank != run.rank) MPI_Send(NULL, 0, MPI_BYTE, rank, FAILED, MPI_COMM_WORLD);
    return 1;
}

/* Every message that was sent is taken. */
static void drain(int sent) {
    int senders;
    MPI_Allreduce(&sent, &senders, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (; run.heard < senders - sent; run.heard++)
        MPI_Recv(NULL, 0, MPI_BYTE, MPI_ANY_SOURCE, FAILED, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ranks may come to this from different places of the program: it is the same for all of them. */
static int agree(int status, bool early) {
    struct {
        int status;
        char message[2048];
    } told = {.status = status};
    if (run.failed) return run.failed;
    const int sent = status && early ? notify_others() : 0, first = find_first(status);
    if (first == run.size) return CLI_DONE;
    snprintf(told.message, sizeof told.message, "%s", cli_kept_failure());
    MPI_Bcast(&told, (int)sizeof told, MPI_BYTE, first, MPI_COMM_WORLD);
    drain(sent);
    run.failed = told.status;
    if (cli_is_first() && *told.message) show(first, told.message);
    return run.failed;
}

int cli_agree(int status) {
    return agree(status, false);
}

int cli_agree_early(int status) {
    return agree(status, true);
}

int cli_agree_on(orff_status status) {
    if (run.failed) return run.failed;
    if (!status) return CLI_DONE;
    run.failed = CLI_FAILED;
    if (cli_is_first()) print_message("orff: %s", orff_mpi_error_message());
    return run.failed;
}

/* ---- from one to all, from all to all */

#define PIECE ((size_t)1 << 30)

void cli_share_bytes(void *bytes, size_t size) {
    for (size_t at = 0; at < size; at += PIECE)
        MPI_Bcast((char *)bytes + at, (int)(size - at < PIECE ? size - at : PIECE), MPI_BYTE, 0,
                  MPI_COMM_WORLD);
}

void cli_share_text(char **text) {
    uint64_t room = *text ? strlen(*text) + 1 : 0;
    cli_share_bytes(&room, sizeof room);
    if (!room) {
        *text = NULL;
        return;
    }
    if (!cli_is_first()) *text = cli_more(NULL, (size_t)room, 1);
    cli_share_bytes(*text, (size_t)room);
}

uint64_t cli_sum(uint64_t mine) {
    uint64_t sum;
    MPI_Allreduce(&mine, &sum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

void cli_least(size_t count, double *numbers) {
    MPI_Allreduce(MPI_IN_PLACE, numbers, (int)count, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
}

void cli_most(size_t count, double *numbers) {
    MPI_Allreduce(MPI_IN_PLACE, numbers, (int)count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}
