/* A child process that answers requests of this one, within limits: for code that may crash or loop for ever
 * on its input.
 *
 * A crash, an endless loop or unlimited memory in the child ends the child alone. It is no sandbox: a file
 * that takes over the code in the child can do whatever the user can.
 *
 * Time is the child's processor time, not wall-clock time: a busy machine or a slow disk ends nothing, and a
 * loop ends after as much work as the limit allows. The child has no core dump, no standard streams and no
 * open files but those given. It ignores interrupts from the terminal, runs none of its parent's exit
 * handlers, and dies with the thread that created it. */
#ifndef FMT_CHILD_H
#define FMT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct fmt_child_limits {
    double seconds;  /* of processor time for each answer */
    uint64_t memory; /* bytes of address space in addition to what the process has now */
} fmt_child_limits;

typedef struct fmt_child {
    pid_t id;   /* 0: none */
    int socket; /* this end of the connection */
    double seconds, begun;
    int ending;                /* status from waitpid, once it has ended; -1: not known */
    bool (*interrupted)(void); /* called about five times a second while waiting; may be NULL */
} fmt_child;

/* Starts a child that calls work(socket, kept, self), where `kept` is the child's descriptor for the one
 * given (-1: none). Returns 0 or an errno. */
int fmt_child_start(fmt_child *child, const fmt_child_limits *limits, int descriptor,
                    void (*work)(int socket, int kept, void *self), void *self);

typedef enum fmt_child_outcome {
    FMT_CHILD_FINE,
    FMT_CHILD_GONE,       /* it has ended */
    FMT_CHILD_SLOW,       /* it used up its time; killed */
    FMT_CHILD_INTERRUPTED /* by the user; killed */
} fmt_child_outcome;

/* Sends a request; the time limit of the answer starts now. */
fmt_child_outcome fmt_child_ask(fmt_child *child, const void *bytes, size_t size);
fmt_child_outcome fmt_child_receive(fmt_child *child, void *bytes, size_t size);

/* Kills the child if it is still alive, and waits for it. */
void fmt_child_end(fmt_child *child);

#endif
