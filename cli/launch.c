#define _GNU_SOURCE

#include "launch.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"

/* What a launcher sets in the environment of each process. Slurm's srun sets PMI_SIZE too, even for
 * independent tasks; MPI_LOCALNRANKS is set only by mpirun. */
static const struct launcher {
    const char *mark, *size, *rank;
} launchers[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"}, /* Open MPI */
    {"MPI_LOCALNRANKS", "PMI_SIZE", "PMI_RANK"},                              /* MPICH and its derivatives */
};

static const struct launcher *find_launcher(void) {
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (getenv(launchers[i].mark) && getenv(launchers[i].size)) return &launchers[i];
    return NULL;
}

static long number_of(const char *name) {
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : 0;
}

/* Finds the file beside this program, following links to the program; never searches the PATH. */
static bool find_beside(char path[PATH_MAX]) {
    static const char name[] = "orff-mpi";
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - sizeof name);
    if (length <= 0) return false;
    path[length] = '\0';
    char *end = strrchr(path, '/');
    if (!end) return false;
    memcpy(end + 1, name, sizeof name);
    return true;
}

/* A link of that name to the program itself would run forever. */
static bool is_this_program(const char *path) {
    struct stat one, other;
    if (stat(path, &one) || stat("/proc/self/exe", &other)) return false;
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

/* Processes other than the first exit silently with success: otherwise mpirun would end all of them before
 * the first has printed. */
static int refuse(const struct launcher *from, const char *path) {
    if (number_of(from->rank) > 0) return CLI_DONE;
    return cli_failed(
        "mpirun started %ld processes, but %s, the program that shares the work among them, cannot be run: "
        "%s; install MPI (on Debian libopenmpi-dev and openmpi-bin) and build orff again",
        number_of(from->size), *path ? path : "orff-mpi", strerror(errno));
}

bool cli_launch(char **words, int *status) {
    const struct launcher *from = find_launcher();
    char path[PATH_MAX] = "";
    if (!from) return false;
    if (find_beside(path) && !is_this_program(path)) execv(path, words);
    if (number_of(from->size) < 2) return false; /* a single process shares nothing */
    *status = refuse(from, path);
    return true;
}
