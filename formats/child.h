/* A child process that answers this one, within limits: for code that may crash or loop for ever on what it
 * is given.
 *
 * What the child does wrong ends the child alone: a crash, a loop, memory without end. It is no sandbox: a
 * file that makes the code in it do as it likes can do what the user can.
 *
 * Time is the child's processor time, not the clock on the wall: a busy machine or a slow disk ends
 * nothing, a loop ends after as much work as the limit allows. The child has no core dump, no standard
 * streams and no open files but those given, ignores the interrupts of the terminal, runs none of the exit
 * handlers of its parent, and dies with the thread that made it. */
#ifndef FMT_CHILD_H
#define FMT_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct fmt_child_limits {
    double seconds;  /* of processor time for each answer */
    uint64_t memory; /* bytes of address space beyond those that the process has now */
} fmt_child_limits;

typedef struct fmt_child {
    pid_t id;   /* 0: none */
    int socket; /* this side of the line */
    double seconds, begun;
    int ending;                /* as from waitpid, once it has ended; -1: not known */
    bool (*interrupted)(void); /* asked about once in a fifth of a second of waiting; may be NULL */
} fmt_child;

/* Starts a child that calls work(socket, kept, self), where `kept` is its number for the descriptor given
 * (-1: none). 0, or an errno. */
int fmt_child_start(fmt_child *child, const fmt_child_limits *limits, int descriptor,
                    void (*work)(int socket, int kept, void *self), void *self);

typedef enum fmt_child_outcome {
    FMT_CHILD_FINE,
    FMT_CHILD_GONE,       /* it has ended */
    FMT_CHILD_SLOW,       /* it used up its time; killed */
    FMT_CHILD_INTERRUPTED /* by the user; killed */
} fmt_child_outcome;

/* From here on the child works for an answer. */
fmt_child_outcome fmt_child_ask(fmt_child *child, const void *bytes, size_t size);
fmt_child_outcome fmt_child_receive(fmt_child *child, void *bytes, size_t size);

/* Kills what still lives, and waits for it. */
void fmt_child_end(fmt_child *child);

#endif
