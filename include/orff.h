/*
 * orff: learning vector-valued functions with operator-valued kernels, at scale.
 *
 * This is the one public header. Read top to bottom it is a tutorial:
 *
 *   1. version and status      every fallible call returns an orff_status
 *   2. the simple call         learn, predict, save
 *   3. threads and hooks       one thread count; log and progress callbacks
 *   4. kernels                 a kernel is a list of parts; exact K(x,z)
 *   5. output matrices         covariance, graph Laplacian, simplex codes
 *   6. frequencies             how the D frequencies of a feature map are chosen
 *   7. features                phi(x), Phi(x), P_X, P_X^*, P_X^* P_X
 *   8. moments                 sums over the data, made in one pass, from which models are fitted
 *   9. ridge from moments      closed forms, paths over lambda, cross-validation, mixtures
 *  10. losses and iteration    other losses, and systems too large for moments
 *  11. exact                   exact operator-valued kernel ridge, the baseline
 *  12. models                  settings, engines, fit, tune, predict, error bars, derived fields, samples, notes
 *  13. files and texts         careful writing of files and reading of numbers, for programs that use the library
 *  14. stacks                  layers of features, learned together
 *  15. bounds                  the error of K~, and how many frequencies keep it small
 *
 * Conventions. Matrices are row-major. X holds one point a row (n x d), Y one
 * output a row (n x p). Sizes are size_t. What the caller fills in is an open
 * struct with an orff_..._default() function. What the library owns is opaque
 * and freed by orff_..._free(), which accepts NULL. Results are returned through
 * pointers, which are unchanged if a call fails, unless stated otherwise. The
 * library never prints and never exits. Many threads may use a const object at
 * once.
 */
#ifndef ORFF_H
#define ORFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ORFF_API __attribute__((visibility("default")))
#else
#define ORFF_API
#endif

/* ---------------------------------------------------------------- 1. version and status */

#define ORFF_VERSION_MAJOR 0
#define ORFF_VERSION_MINOR 2
#define ORFF_VERSION_PATCH 0

/* The version of the library that is running, such as "0.2.0". */
ORFF_API const char *orff_version(void);

/* The libraries and instructions it uses, in words: "OpenBLAS 0.3.21, SLEEF avx2, OpenMP". */
ORFF_API const char *orff_build_info(void);

#define ORFF_STATUS_LIST(X)                                                   \
    X(OK, "success")                                                          \
    X(ERROR_INVALID_ARGUMENT, "an argument is out of its range")              \
    X(ERROR_NO_MEMORY, "not enough memory")                                   \
    X(ERROR_NOT_FINITE, "a number is NaN or infinite")                        \
    X(ERROR_NOT_POSITIVE, "a matrix that must be positive is not")            \
    X(ERROR_DOES_NOT_EXIST, "this combination does not exist mathematically") \
    X(ERROR_UNSUPPORTED, "this combination is not supported")                 \
    X(ERROR_CALLBACK, "a callback of the caller reported failure")            \
    X(ERROR_CANCELLED, "stopped by the progress callback")                    \
    X(ERROR_NUMERICAL, "a numerical method failed")                           \
    X(ERROR_MISMATCH, "two objects do not belong together")                   \
    X(ERROR_IO, "a file could not be read or written")                        \
    X(ERROR_FORMAT, "a file is not what it should be")

typedef enum orff_status {
#define ORFF_STATUS_ENUM(name, text) ORFF_##name,
    ORFF_STATUS_LIST(ORFF_STATUS_ENUM)
#undef ORFF_STATUS_ENUM
        ORFF_STATUS_COUNT
} orff_status;

/* The general meaning of a status. */
ORFF_API const char *orff_status_text(orff_status status);

/* The message of the last call that failed in this thread: which argument, its value, and what was
 * expected. Valid until the next failing call in the same thread; "" if none has failed. */
ORFF_API const char *orff_error_message(void);

/* ---------------------------------------------------------------- 2. the simple call
 *
 *     const char *const settings[] = {"kernel=div-free", "sigma=0.5", NULL};
 *     orff_model *model;
 *     if (orff_learn(&model, settings, 2, 2, n, X, Y)) return puts(orff_error_message());
 *     orff_model_predict(model, m, Z, F);
 *     orff_model_save(model, "field.orff", false);
 *     orff_model_free(model);
 */

typedef struct orff_model orff_model;

/* Learn f from n rows X (n x d) and Y (n x p). Settings are texts "name=value", ending with NULL; docs/settings.md lists
 * them. Other settings have their defaults, most of which are automatic; NULL means all defaults. See section 12 for
 * weights, classes and rows that do not fit in memory. */
ORFF_API orff_status orff_learn(orff_model **model, const char *const *settings, size_t d, size_t p, size_t n,
                                const double *X, const double *Y);

/* F = predictions at n points X: n x p (codes for classes: n x code_length, T-1 for those of a simplex). The results of a model
 * are finite: if one overflows, the call returns ORFF_ERROR_NOT_FINITE and writes nothing to F. */
ORFF_API orff_status orff_model_predict(const orff_model *model, size_t n, const double *X, double *F);

/* Model files: see docs/files.md. compact leaves out the frequencies; loading draws them again. A new file is read back
 * before it replaces the old one. If it cannot be loaded, the old one stays (ORFF_ERROR_NUMERICAL). */
ORFF_API orff_status orff_model_save(const orff_model *model, const char *path, bool compact);
ORFF_API orff_status orff_model_load(orff_model **model, const char *path);
ORFF_API void orff_model_free(orff_model *model);

/* ---------------------------------------------------------------- 3. threads and hooks */

/* The number of threads that the library's loops and its BLAS may use. 0 (the initial value) means all of the
 * machine, or OMP_NUM_THREADS. It is a property of the process, like the thread count of BLAS. Results do
 * not depend on it beyond the rounding of sums inside BLAS; frequencies do not depend on it at all.
 * On a machine with other work, start your program with GOMP_SPINCOUNT=100 in its environment. Otherwise GNU's OpenMP, which
 * reads this variable once, before main, keeps waiting threads awake, and two threads can be slower than one. */
ORFF_API orff_status orff_set_threads(size_t count);
ORFF_API size_t orff_get_threads(void);

/* fork: the child of a process that has used the library may use it too, with as many threads. Objects made before the
 * fork work in both. There are two exceptions. If another thread of the parent is inside the library during the fork,
 * its objects are in an unknown state in the child, as with any library. And a child that was forked inside an OpenMP parallel
 * region, or under LLVM's OpenMP with KMP_INIT_AT_FORK=FALSE, has only one thread, which orff_get_threads then
 * returns, whatever orff_set_threads asks for. */

typedef enum orff_log_level { ORFF_LOG_INFO, ORFF_LOG_WARNING } orff_log_level;

/* Messages and progress of calls made in this thread. Either function may be NULL.
 * progress gets the work done and the total work (in rows, unless the call says otherwise) and
 * returns false to stop: the call then returns ORFF_ERROR_CANCELLED and leaves its results unchanged. */
typedef struct orff_hooks {
    void (*log)(void *self, orff_log_level level, const char *message);
    bool (*progress)(void *self, const char *task, double done, double total);
    void *self;
} orff_hooks;

/* Set the hooks of the calling thread (copied); NULL removes them. */
ORFF_API void orff_set_hooks(const orff_hooks *hooks);

/* ---------------------------------------------------------------- 4. kernels
 *
 * A shift-invariant operator-valued kernel is
 *
 *     K(x,z) = E_{w ~ mu} [ cos<w, x-z>  B(w) B(w)^T ]            (p x p)
 *
 * a base spectrum mu on R^d and a block rule B(w) of size p x p'. A kernel here is a sum of such parts.
 */

/* The base: a scalar kernel k0 with k0(0) = 1 and its spectrum mu. l_i is the length scale of input i,
 * v_i = delta_i / l_i, r = |v|. */
#define ORFF_BASE_LIST(X)                                                                 \
    X(AUTO, auto, "auto")             /* chosen by a fit that chooses the length scale  \
                                                        too, see orff_settings; elsewhere gaussian */ \
    X(GAUSSIAN, gaussian, "gaussian") /* exp(-r^2/2) */                                   \
    X(LAPLACE, laplace, "laplace")    /* exp(-sum_i |v_i|) */                             \
    X(MATERN, matern, "matern")       /* shape nu > 0: 2^(1-nu)/Gamma(nu) x^nu K_nu(x), \
                                                        x = sqrt(2 nu) r */ \
    X(RATIONAL_QUADRATIC, rational_quadratic, "rational-quadratic")                       \
    /* shape alpha > 0: (1 + r^2/(2 alpha))^-alpha */                                     \
    X(CAUCHY_PRODUCT, cauchy_product, "cauchy-product") /* prod_i 1/(1 + v_i^2) */        \
    X(SECH, sech, "sech")                               /* prod_i 1/cosh(v_i) */

typedef enum orff_base {
#define ORFF_BASE_ENUM(name, file, text) ORFF_BASE_##name,
    ORFF_BASE_LIST(ORFF_BASE_ENUM)
#undef ORFF_BASE_ENUM
        ORFF_BASE_COUNT
} orff_base;

/* Names. Every enumeration of this header has a list such as the one above, from which its enumerators, its names and
 * the library's tables are made, and three functions: the name of an enumerator (NULL for none), the enumerator of a name
 * (the message of a failure lists the names), and all names that the second accepts, ending with NULL. */
ORFF_API const char *orff_base_name(orff_base base);
ORFF_API const char *const *orff_base_names(void);

/* The short forms "matern12", "matern32", "matern52", "matern72" and "cauchy" (rational quadratic, alpha = 1) stand for
 * a base and its shape: *shape is set by them, and 0 after the name of a base that has a shape and needs one. */
ORFF_API orff_status orff_base_parse(const char *name, orff_base *base, double *shape);

/* The short form of a base and its shape if there is one, otherwise the name of the base. */
ORFF_API const char *orff_base_short_name(orff_base base, double shape);

/* Whether the base has a shape that must be given. */
ORFF_API bool orff_base_has_shape(orff_base base);

/* The block rule. u = w/|w|; for the three physical rules w is restricted to the field's space. */
#define ORFF_RULE_LIST(X)                                                                                    \
    X(DECOMPOSABLE, decomposable, "decomposable") /* B B^T = A, the same for all w: K = k0 A */              \
    X(CURL_FREE, curl_free, "curl-free")          /* B = w: every function is a gradient (p' = 1) */         \
    X(DIV_FREE, div_free, "div-free")             /* B B^T = |w|^2 I - w w^T: no divergence (p' = p-1) */    \
    X(HELMHOLTZ, helmholtz, "helmholtz")          /* c curl-free + (1-c) div-free on the same frequencies */ \
    X(DELAYED, delayed, "delayed")    /* A_ij e^{i<w, tau_i - tau_j>}: outputs show one process, late */     \
    X(CUSTOM_B, custom_b, "custom-b") /* callback gives B(w), p x columns, B B^T even in w */                \
    X(CUSTOM_A, custom_a, "custom-a") /* callback gives A(w), p x p, positive, even; factored numerically */ \
    X(SIGNATURE, signature, "signature") /* callback gives K0(delta), p x p, d <= 3; the spectrum is found */

typedef enum orff_rule {
#define ORFF_RULE_ENUM(name, file, text) ORFF_RULE_##name,
    ORFF_RULE_LIST(ORFF_RULE_ENUM)
#undef ORFF_RULE_ENUM
        ORFF_RULE_COUNT
} orff_rule;

ORFF_API const char *orff_rule_name(orff_rule rule);
ORFF_API const char *const *orff_rule_names(void);                       /* those that need no callback */
ORFF_API orff_status orff_rule_parse(const char *name, orff_rule *rule); /* the others too */

/* The properties of a rule. */
typedef struct orff_rule_info {
    const char *words; /* for people, of a component of a field: "divergence-free" */
    bool named;        /* needs no callback: a name is enough */
    bool
        physical; /* a field over the inputs of its space: B(w) grows like |w|, and units must not be stretched */
    bool separable; /* K = k0 A */
    bool mixes;     /* has a mix c */
    bool coupled;   /* has an output matrix A, the same for all frequencies but for phases */
    bool delays;    /* has a delay of each output along each input */
} orff_rule_info;
ORFF_API orff_rule_info orff_rule_describe(orff_rule rule);

/* p' for p outputs; 0 if the part determines it (custom-b). */
ORFF_API size_t orff_rule_columns(orff_rule rule, size_t p);

/* A matrix-valued function on R^d of the caller, for many points at once: `at` contains `count` points (count x d), and
 * `matrices` receives as many matrices (count x rows x columns, as the rule says). It returns 0, or another value to
 * report failure. It is called from one thread at a time, for at most a few thousand points. */
typedef int (*orff_matrix_fn)(void *self, size_t count, const double *at, double *matrices);

/* Length scales that a fit chooses. AUTO: one for all inputs of the field's space (or for all inputs if
 * there is none), or one for each input if the rows clearly favour that. ARD: always one for each input
 * (for parts that are fields: for each covariate). */
#define ORFF_SIGMA_AUTO 0.0
#define ORFF_SIGMA_ARD  (-1.0)

/* A shape that a fit chooses by the evidence, together with the length scale. */
#define ORFF_SHAPE_AUTO (-1.0)

typedef struct orff_part {
    orff_rule rule;
    orff_base base;
    double shape;         /* nu of Matern, alpha of rational quadratic; in a fit also ORFF_SHAPE_AUTO */
    double sigma;         /* length scale of every input; in a fit also ORFF_SIGMA_AUTO, ORFF_SIGMA_ARD ... */
    const double *sigmas; /* ... or one per input (d values); NULL: sigma */
    double weight;        /* v >= 0: this part is v K_part */
    bool normalise;       /* scale the part so that trace K(0) = p (K(0) = I where it is isotropic) */

    const double *A; /* decomposable, delayed: A (p x p, positive, may be rank-deficient) ... */
    const double *B; /* ... or a factor B (p x columns) with A = B B^T; both NULL: identity */
    size_t columns;  /* columns of B, also for ORFF_RULE_CUSTOM_B */

    /* delayed: the delay of each output along each input (p x d): K_ij(delta) = A_ij k0(delta - tau_i + tau_j); NULL: none.
     * A fit learns A by the evidence if A and B are NULL, and also the delays, relative to the first output, if they are NULL. */
    const double *delays;

    /* decomposable, delayed: the wavelength along each input (d values, in the input's units; 0: no waves
     * along it; a negative one reverses the direction relative to waves along other inputs). k0(delta)
     * becomes
     *
     *     k0(delta) cos(2 pi sum_i delta_i / L_i),
     *
     * whose frequencies are distributed around +-2 pi / L instead of 0; sigma says how far waves stay in
     * step. NULL: none. learn_wavelengths, in a fit with `wavelengths` NULL: the evidence determines them.
     * A sum of such parts is a spectral mixture, a sum of delayed ones a multi-output spectral mixture. */
    const double *wavelengths;
    bool learn_wavelengths;

    double mix; /* Helmholtz: c in [0,1], the weight of the curl-free half */

    /* Physical rules: the p inputs (0-based) of the field's space; the other inputs are covariates,
     * K = K_space(x-z) k0(t-s). NULL: all, d = p. */
    const size_t *space;

    orff_matrix_fn
        matrix; /* ORFF_RULE_CUSTOM_B, ORFF_RULE_CUSTOM_A (a function of w), ORFF_RULE_SIGNATURE (of delta) */
    orff_matrix_fn
        exact;  /* ORFF_RULE_CUSTOM_A, ORFF_RULE_CUSTOM_B: K0(delta) of the part, if known; else NULL */
    void *self; /* passed to the callbacks */

    /* ORFF_RULE_CUSTOM_B, ORFF_RULE_CUSTOM_A: `matrix` gives complex numbers, each as its real part and its imaginary part:
     * count x p x columns x 2, which is an array of double complex. A(w) = B(w) B(w)^* is then Hermitian,
     *     K(x,z) = E[ cos<w,x-z> Re A(w) + sin<w,x-z> Im A(w) ],
     * and w and -w must agree: A(-w) is the conjugate of A(w). */
    bool hermitian;

    /* Parts with callbacks: these get w and delta in the user's units, even if a model scales its inputs. As the library
     * does not know whether they compute a law of physics, it scales the inputs (and outputs) of a model by one
     * common unit, as for physical rules. true: each input may have its own unit and, with sigma auto, its own length
     * scale, derived from its spread. */
    bool stretchable;

    /* decomposable, in a fit with A and B NULL: A is learned too, by the evidence of some of the rows,
     * together with a noise for each output if output spreads may be scaled. A = F F^T + diagonal, with F
     * of `rank` columns (0: as many as the rows clearly support). In a sum each such part has its own A
     * and weight, without a rank, and every part must be decomposable. sparse, for one part and complete
     * rows: off-diagonal entries only where outputs clearly belong together, which makes A readable;
     * `sparsity` > 0 is the strength of an l1 penalty on them, 0: the links that the evidence supports. */
    bool learn;
    size_t rank;
    bool sparse;
    double sparsity;
} orff_part;

/* Decomposable, Gaussian, sigma 1, weight 1, identity, c = 1/2. */
ORFF_API orff_part orff_part_default(void);

typedef struct orff_kernel orff_kernel;

/* A kernel on R^d with values in p x p matrices: the sum of n_parts parts. They are copied; callbacks and self
 * belong to the caller and must outlive the kernel. Parts with the same base, shape and length scales share
 * their frequencies. Kernels that do not exist (curl-free with Laplace or Matern nu <= 1, divergence-free
 * with p = 1) are refused with the reason. */
ORFF_API orff_status orff_kernel_create(orff_kernel **kernel, size_t d, size_t p, size_t n_parts,
                                        const orff_part *parts);
ORFF_API void orff_kernel_free(orff_kernel *kernel);

ORFF_API size_t orff_kernel_inputs(const orff_kernel *kernel);  /* d */
ORFF_API size_t orff_kernel_outputs(const orff_kernel *kernel); /* p */
ORFF_API size_t orff_kernel_groups(const orff_kernel *kernel);  /* sets of shared frequencies */

/* Exact K(x,z) (p x p). ORFF_ERROR_UNSUPPORTED for a custom part whose exact form was not given. */
ORFF_API orff_status orff_kernel_eval(const orff_kernel *kernel, const double *x, const double *z, double *K);

/* Exact Gram matrix: block (i,j) = K(X_i, Z_j), G is (n p) x (m p), ordered by point, then output.
 * G is undefined when a callback of the kernel fails. */
ORFF_API orff_status orff_kernel_gram(const orff_kernel *kernel, size_t n, const double *X, size_t m,
                                      const double *Z, double *G);

/* E|w|^2, E|w|^4, E|w|^6 of a part's spectrum on the field's space (all d inputs if the rule has none);
 * INFINITY if the moment does not exist. */
ORFF_API orff_status orff_part_moments(const orff_part *part, size_t d, size_t p, double moments[3]);

/* ---------------------------------------------------------------- 5. output matrices */

/* Empirical covariance of the outputs Y (n x p), divided by n. */
ORFF_API orff_status orff_output_covariance(size_t n, size_t p, const double *Y, double *A);

/* Pseudo-inverse of the graph Laplacian diag(W 1) - W of symmetric non-negative weights W (p x p): tasks
 * joined by an edge are pulled together. ridge >= 0 is added to the Laplacian's eigenvalues first; with
 * ridge = 0 the constant vectors of each connected component are in the null space, so that what the outputs have in
 * common cannot be learned. ORFF_RIDGE_AUTO is the smallest eigenvalue that is not zero: what is common is then twice
 * as free as the smoothest difference, and no difference loses more than half of its variance. */
#define ORFF_RIDGE_AUTO (-1.0)
ORFF_API orff_status orff_output_laplacian(size_t p, const double *W, double ridge, double *A);

/* The largest singular value of A (rows x cols). */
ORFF_API orff_status orff_spectral_norm(size_t rows, size_t cols, const double *A, double *norm);

/* Simplex codes of T classes: row k is the unit vector c_k in R^(T-1), c_k.c_l = -1/(T-1). */
ORFF_API orff_status orff_simplex_codes(size_t classes, double *codes);

/* ---------------------------------------------------------------- 6. frequencies */

#define ORFF_SCHEME_LIST(X)                                                                                \
    X(AUTO, auto, "auto") /* qmc up to 12 inputs, then orthogonal where the base is spherical, else iid */ \
    X(IID, iid, "iid")    /* independent draws from mu */                                                  \
    X(ORTHOGONAL, orthogonal,                                                                              \
      "orthogonal")             /* orthogonal within blocks of d, right radial law; spherical bases */     \
    X(QMC, qmc, "qmc")          /* scrambled Sobol points through the quantiles of mu */                   \
    X(HALTON, halton, "halton") /* scrambled Halton points, the same way */                                \
    X(HADAMARD, hadamard,                                                                                  \
      "hadamard")         /* structured orthogonal, O(D log d) a point, d >= 16; spherical bases */        \
    X(GRID, grid, "grid") /* trapezoid quadrature for d <= 3, with weights */

typedef enum orff_scheme {
#define ORFF_SCHEME_ENUM(name, file, text) ORFF_SCHEME_##name,
    ORFF_SCHEME_LIST(ORFF_SCHEME_ENUM)
#undef ORFF_SCHEME_ENUM
        ORFF_SCHEME_COUNT
} orff_scheme;

ORFF_API const char *orff_scheme_name(orff_scheme scheme);
ORFF_API const char *const *orff_scheme_names(void);
ORFF_API orff_status orff_scheme_parse(const char *name, orff_scheme *scheme);

typedef enum orff_switch {
    ORFF_SWITCH_AUTO,
    ORFF_SWITCH_YES,
    ORFF_SWITCH_NO
} orff_switch; /* "auto", "yes", "no" */

typedef struct orff_sampling {
    orff_scheme scheme;

    /* D: frequencies in all. Groups of shorter length scales get more of them: a fifth is divided evenly, the
     * rest by 1/scale^2 (d = 1: 1/scale). The feature map has 2D entries. grid: at most D; 0 lets the
     * tolerance decide. */
    size_t features;

    /* w_j is a function of (seed, group, j). For iid, orthogonal, qmc, halton and hadamard it does not
     * depend on D; it never depends on the thread count. */
    uint64_t seed;

    /* Draw curl-free, div-free and Helmholtz frequencies from |w|^2 mu, which bounds their blocks.
     * ORFF_SWITCH_AUTO: wherever all parts of a group are of these rules. */
    orff_switch importance;

    /* grid, signature: the widest |x_i - z_i| that will occur, per input (d values). */
    const double *extent;

    /* grid, signature: largest error of K relative to |K(0)|; 0: what D allows (grid), 1e-6 (signature). */
    double tolerance;

    /* The caller's own frequencies (features x d) instead of drawn ones, and their weights (features values, NULL:
     * 1/features); for kernels of one group. NULL: drawn. */
    const double *omega, *weights;
} orff_sampling;

/* auto, D = 1000, seed 0. */
ORFF_API orff_sampling orff_sampling_default(void);

/* ---------------------------------------------------------------- 7. features
 *
 * phi(x) = [ sqrt(q_j) cos<w_j,x> ]_j ++ [ sqrt(q_j) sin<w_j,x> ]_j     in R^(2D)
 * Phi(x) = stack over a of phi_a(x) B_j(a)^T                         (M x p)
 * f(x)   = Phi(x)^T theta = sum_a phi_a(x) B_j(a) theta_a            theta in R^M
 *
 * theta holds, for a = 0 .. 2D-1, the p'_j coefficients of feature a; M = 2 sum_j p'_j.
 */

typedef struct orff_features orff_features;

/* Draw the frequencies of a kernel. The kernel is copied: it may be freed. */
ORFF_API orff_status orff_features_create(orff_features **features, const orff_kernel *kernel,
                                          const orff_sampling *sampling);

/* The caller's own frequencies omega (D x d) and weights (D values, NULL: 1/D); for kernels of one group. The same as a
 * sampling that has them. */
ORFF_API orff_status orff_features_create_at(orff_features **features, const orff_kernel *kernel, size_t D,
                                             const double *omega, const double *weights);

/* The same frequencies under another kernel: each of its parts must have a base, shape and length scales
 * that the frequencies were drawn for. Frequencies that no part uses keep their place in phi and have no
 * coefficients. */
ORFF_API orff_status orff_features_rebind(orff_features **out, const orff_features *features,
                                          const orff_kernel *kernel);
ORFF_API void orff_features_free(orff_features *features);

#define ORFF_WARN_INFINITE_VARIANCE 1u /* the estimate of K converges slower than D^-1/2, with wild draws */
#define ORFF_WARN_EXTENT_GUESSED    2u /* grid: no extent was given; five length scales were assumed */
#define ORFF_WARN_UNREACHED         4u /* models: more than 1 % of the variance of y is in the null space of A */
#define ORFF_WARN_BAND_LIMIT        8u /* lattice: waves with more than 1 % of the kernel's variance are left out */
/* For models: */
#define ORFF_WARN_LAMBDA_AT_END 16u  /* lambda was chosen at an end of its range: the best may lie outside */
#define ORFF_WARN_FEW_FEATURES  32u  /* training errors are far above the noise: there are too few features */
#define ORFF_WARN_WILD          64u  /* between the rows f goes far beyond the range of the outputs */
#define ORFF_WARN_COVERAGE      128u /* error bars and errors on held-out rows disagree */
#define ORFF_WARN_OUTLIERS      256u /* most differences between neighbouring rows come from a few rows */
#define ORFF_WARN_REPEATED      512u /* errors are far larger at new values of an input: give groups */
#define ORFF_WARN_MEAN          1024u /* outputs are noise about their mean, whose error is not in the error bars */

typedef struct orff_features_info {
    size_t inputs, outputs;  /* d, p */
    size_t frequencies;      /* D: the number drawn, over all groups */
    size_t length;           /* 2D: length of phi */
    size_t parameters;       /* M: length of theta */
    orff_scheme scheme;      /* what auto chose; for several groups, that of the first; AUTO: the caller's own frequencies */
    bool importance;         /* whether any group was drawn by importance */
    double quadrature_error; /* grid, signature: estimated largest error of K relative to |K(0)|; else 0 */
    unsigned warnings;       /* ORFF_WARN_... */
    const char *warning;     /* the same in words, "" if none; lives as long as the features */
} orff_features_info;

ORFF_API orff_features_info orff_features_describe(const orff_features *features);

/* Copy out the frequencies omega (D x d) and weights q (D); either may be NULL. */
ORFF_API orff_status orff_features_frequencies(const orff_features *features, double *omega, double *weights);

/* The block of frequency j: its number of columns p', and B(w_j) (p x p') if B is not NULL. B includes the
 * weights of parts, but not sqrt(q_j). A Hermitian kernel has complex blocks: ORFF_ERROR_UNSUPPORTED if B
 * is not NULL. */
ORFF_API orff_status orff_features_block(const orff_features *features, size_t j, size_t *columns, double *B);

/* The same as complex numbers, for any kernel: p x p' x 2 numbers, the real and the imaginary part of
 * each. */
ORFF_API orff_status orff_features_block_complex(const orff_features *features, size_t j, size_t *columns,
                                                 double *B);

/* The complex map of a point, Phi_j = sqrt(q_j) e^(i<w_j,x>) B(w_j)^*: a row of p complex numbers for each of the M/2 columns,
 * in the order of the coefficients, M/2 x p x 2 numbers. The real part of Phi(x)^* Phi(z) is the approximate kernel. */
ORFF_API orff_status orff_features_map_complex(const orff_features *features, const double *x, double *Phi);

/* phi of n points: phi is n x 2D. */
ORFF_API orff_status orff_features_phi(const orff_features *features, size_t n, const double *X, double *phi);
ORFF_API orff_status orff_features_phi_single(const orff_features *features, size_t n, const float *X,
                                              float *phi);

/* The explicit Phi(x) of one point: M x p. */
ORFF_API orff_status orff_features_map(const orff_features *features, const double *x, double *Phi);

/* K~(x,z) = Phi(x)^T Phi(z)   (p x p). */
ORFF_API orff_status orff_features_kernel(const orff_features *features, const double *x, const double *z,
                                          double *K);

/* F = P_X theta, row i = Phi(x_i)^T theta   (n x p). */
ORFF_API orff_status orff_features_apply(const orff_features *features, size_t n, const double *X,
                                         const double *theta, double *F);

/* theta = P_X^* Y = sum_i Phi(x_i) y_i   (M). */
ORFF_API orff_status orff_features_adjoint(const orff_features *features, size_t n, const double *X,
                                           const double *Y, double *theta);

/* out = P_X^* P_X theta   (M). out may not overlap theta. */
ORFF_API orff_status orff_features_normal(const orff_features *features, size_t n, const double *X,
                                          const double *theta, double *out);

/* The same with data in single precision: phi and the products of a block of rows are computed in float,
 * blocks are summed in double. */
ORFF_API orff_status orff_features_apply_single(const orff_features *features, size_t n, const float *X,
                                                const double *theta, float *F);
ORFF_API orff_status orff_features_adjoint_single(const orff_features *features, size_t n, const float *X,
                                                  const float *Y, double *theta);
ORFF_API orff_status orff_features_normal_single(const orff_features *features, size_t n, const float *X,
                                                 const double *theta, double *out);

/* ---------------------------------------------------------------- 8. moments
 *
 * For rows (x_i, y_i) with weights c_i (1 when none are given):
 *
 *     S = sum c phi phi^T  (2D x 2D),   R = sum c phi y^T  (2D x p),
 *     sum c phi,   sum c y,   sum c y y^T,   sum c
 *
 * are all that ridge needs, for every kernel on these frequencies and every lambda. They take one pass
 * over the data, their size does not depend on the number of rows, and they add and subtract.
 */

typedef struct orff_moments orff_moments;

/* A plane that touches the Earth where the data are, or the plane of a projected coordinate system: see
 * section 12. */
#define ORFF_CRS_ROOM 256
typedef struct orff_plane {
    double lon, lat;         /* its centre, degrees; 0 for one with a crs */
    size_t inputs[2];        /* the inputs (0-based) that are longitude and latitude */
    char crs[ORFF_CRS_ROOM]; /* a projected coordinate system; "": azimuthal equidistant */
} orff_plane;

typedef struct orff_moments_settings {
    size_t folds;  /* K >= 2 keeps one set for each cross-validation fold; 0 or 1: one set */
    uint64_t seed; /* a row's fold depends only on (seed, its numbers), not on other rows or their order */
    bool single;   /* phi and the products of a block in float, summed over blocks in double */
    /* Rows are in degrees and are projected to this plane (copied); NULL: used as they are. */
    const orff_plane *plane;
    /* Rows that belong together are held out together. Both arrays belong to the caller, must outlive the
     * moments and are not saved in files; NULL: each row by itself. */
    /* d sides: a row's fold depends on (seed, the block of this size that contains its inputs). */
    const double *blocks;
    /* a row's fold depends on (seed, its group): one for each row, in the order in which rows are added. */
    const uint64_t *groups;
} orff_moments_settings;

ORFF_API orff_status orff_moments_create(orff_moments **moments, const orff_features *features,
                                         const orff_moments_settings *settings);

/* Moments without rows, with the frequencies and settings of others, to be added to them or subtracted. */
ORFF_API orff_status orff_moments_create_like(orff_moments **moments, const orff_moments *other);
ORFF_API void orff_moments_free(orff_moments *moments);

/* Add n rows; weights (n values >= 0) may be NULL. If it fails, the moments are unchanged. */
ORFF_API orff_status orff_moments_accumulate(orff_moments *moments, size_t n, const double *X,
                                             const double *Y, const double *weights);

/* Rows from any source. read fills up to `room` rows of X (room x d) and Y (room x p), and weights (room)
 * if that pointer is not NULL. It sets *rows to their number (0: no more) and returns 0, or another value
 * to report failure. */
typedef struct orff_reader {
    int (*read)(void *self, size_t room, double *X, double *Y, double *weights, size_t *rows);
    void *self;
    bool weighted;
} orff_reader;

/* Add all rows of the reader. Progress is reported as rows done of 0 (unknown). If it fails in the middle,
 * the moments contain the blocks read before. */
ORFF_API orff_status orff_moments_read(orff_moments *moments, const orff_reader *reader);

/* The same for empty moments, saved to the file `checkpoint` every `rows` rows, at the end, and when the call is stopped.
 * With `resume`, and if the file exists, the pass continues from it: the rows in the file are read, verified by their
 * digest and skipped. Other rows, frequencies, folds or precision are refused (ORFF_ERROR_MISMATCH), and the file
 * is not changed. The sums are bit for bit those of a run without interruption. If a save fails, the log gets a warning,
 * the pass continues and the last file stays. */
ORFF_API orff_status orff_moments_read_resumable(orff_moments *moments, const orff_reader *reader,
                                                 const char *checkpoint, uint64_t rows, bool resume);

/* Whether a computation can start with this checkpoint, to check before long work: the path can be written, and with
 * `resume` an existing file is a checkpoint; without it, no file exists. */
ORFF_API orff_status orff_checkpoint_check(const char *path, bool resume);

/* Remove a checkpoint, once its result is saved. Other files are not removed (ORFF_ERROR_FORMAT). It need not exist. */
ORFF_API orff_status orff_checkpoint_remove(const char *path);

/* into += other, into -= other; same frequencies, outputs, folds and plane, else ORFF_ERROR_MISMATCH naming the
 * difference. Subtracting loses digits if little remains. */
ORFF_API orff_status orff_moments_add(orff_moments *into, const orff_moments *other);
ORFF_API orff_status orff_moments_subtract(orff_moments *into, const orff_moments *other);

typedef struct orff_moments_info {
    size_t inputs, outputs, frequencies, folds;
    uint64_t rows; /* rows added minus rows subtracted */
    double weight; /* sum of the weights, without errors */
    bool single;
    bool parted;   /* some rows are incomplete: see orff_moments_accumulate_observations */
    bool on_plane; /* rows are given in degrees and projected to ... */
    orff_plane plane;
} orff_moments_info;
ORFF_API orff_moments_info orff_moments_describe(const orff_moments *moments);

/* The sums over all folds; any pointer may be NULL. S: 2D x 2D, R: 2D x p, sum_phi: 2D,
 * sum_y: p, sum_yy: p x p. */
ORFF_API orff_status orff_moments_totals(const orff_moments *moments, double *S, double *R, double *sum_phi,
                                         double *sum_y, double *sum_yy);

/* A text of the caller, in UTF-8, that is saved with the moments (names of columns, units, ...); "" at
 * first. orff_moments_add keeps the notes of `into`. */
ORFF_API orff_status orff_moments_set_notes(orff_moments *moments, const char *notes);
ORFF_API const char *orff_moments_notes(const orff_moments *moments);

/* A kernel on the frequencies of these moments (see orff_features_rebind). */
ORFF_API orff_status orff_moments_features(const orff_moments *moments, const orff_kernel *kernel,
                                           orff_features **features);

/* A file of moments, with the recipe of its frequencies: written to a temporary name, read back, synced and renamed.
 * ORFF_ERROR_NUMERICAL, and no file, when the sums have overflowed. */
ORFF_API orff_status orff_moments_save(const orff_moments *moments, const char *path);
ORFF_API orff_status orff_moments_load(orff_moments **moments, const char *path);

/* Moments as a vector of numbers, for programs that add them over many processes by other means (MPI: orff_mpi.h): what
 * orff_moments_add adds, without the redundant halves of symmetric matrices. _size is how many there are; _get copies `count` of
 * them, starting at `first`, and _set puts them back. Only vectors of moments with the same digest may be added. */
ORFF_API uint64_t orff_moments_size(const orff_moments *moments);
ORFF_API orff_status orff_moments_get(const orff_moments *moments, uint64_t first, size_t count,
                                      double *numbers);
ORFF_API orff_status orff_moments_set(orff_moments *moments, uint64_t first, size_t count,
                                      const double *numbers);
ORFF_API uint64_t orff_moments_digest(const orff_moments *moments);

/* Moments of a lattice, for up to three inputs, do not depend on the kernel. One pass is enough for every rule, base, weight,
 * lambda and length scale that the lattice represents. */
typedef struct orff_lattice_moments orff_lattice_moments;

#define ORFF_LATTICE_INPUTS 3 /* at most */
/* At most for incomplete or directed rows: the number of densities is about half its square. */
#define ORFF_LATTICE_OUTPUTS 8

/* What the lattice must represent: rows within an extent, and kernels. Moments made with the same need have the same lattice. */
typedef struct orff_lattice_need {
    size_t d, p;
    const double *low, *high; /* d each: the extent of the rows; periodic inputs may be anywhere */
    const double *periods;    /* d: 0 for inputs that are not periodic; NULL: none is */
    size_t n_parts;           /* kernels that will be used: one part with the shortest ... */
    const orff_part *parts;   /* ... and one with the longest length scale cover all in between */
    double tolerance;         /* of the kernel; 0: 1e-6 */
    size_t folds;             /* as in orff_moments_settings */
    uint64_t seed;
    /* Carry random right-hand sides, for error bars of lattices too large for a Cholesky factor. AUTO: 16
     * if the lattice may be that large; YES: 32. Rows then take a few times as long, and error bars are
     * accurate to 18 or 12 %. */
    orff_switch posterior;
} orff_lattice_need;

ORFF_API orff_status orff_lattice_moments_create(orff_lattice_moments **moments,
                                                 const orff_lattice_need *need);

/* Moments without rows on the lattice of others, to be added to them. */
ORFF_API orff_status orff_lattice_moments_create_like(orff_lattice_moments **moments,
                                                      const orff_lattice_moments *other);
ORFF_API void orff_lattice_moments_free(orff_lattice_moments *moments);

/* Add rows. A row outside the extent is an error, and the message names it. If it fails, the moments are unchanged. */
ORFF_API orff_status orff_lattice_moments_accumulate(orff_lattice_moments *moments, size_t n, const double *X,
                                                     const double *Y, const double *weights);
ORFF_API orff_status orff_lattice_moments_read(orff_lattice_moments *moments, const orff_reader *reader);

/* into += other, into -= other; same lattice, outputs and folds, else ORFF_ERROR_MISMATCH. */
ORFF_API orff_status orff_lattice_moments_add(orff_lattice_moments *into, const orff_lattice_moments *other);
ORFF_API orff_status orff_lattice_moments_subtract(orff_lattice_moments *into,
                                                   const orff_lattice_moments *other);

typedef struct orff_lattice_moments_info {
    size_t inputs, outputs, modes, folds;
    uint64_t rows;
    double weight; /* sum of the weights, without errors */
    /* Some rows are incomplete or directed: see orff_lattice_moments_accumulate_observations. */
    bool directed;
    const double *low, *high;         /* inputs: the extent; live as long as the moments */
    const double *shortest, *longest; /* inputs: range of length scales that it was made for */
} orff_lattice_moments_info;
ORFF_API orff_lattice_moments_info orff_lattice_moments_describe(const orff_lattice_moments *moments);

ORFF_API orff_status orff_lattice_moments_set_notes(orff_lattice_moments *moments, const char *notes);
ORFF_API const char *orff_lattice_moments_notes(const orff_lattice_moments *moments);

ORFF_API orff_status orff_lattice_moments_save(const orff_lattice_moments *moments, const char *path);
ORFF_API orff_status orff_lattice_moments_load(orff_lattice_moments **moments, const char *path);

/* Like orff_moments_size and the functions after it. */
ORFF_API uint64_t orff_lattice_moments_size(const orff_lattice_moments *moments);
ORFF_API orff_status orff_lattice_moments_get(const orff_lattice_moments *moments, uint64_t first,
                                              size_t count, double *numbers);
ORFF_API orff_status orff_lattice_moments_set(orff_lattice_moments *moments, uint64_t first, size_t count,
                                              const double *numbers);
ORFF_API uint64_t orff_lattice_moments_digest(const orff_lattice_moments *moments);

/* Whether a file begins like a file of lattice moments; the rest is not checked. */
ORFF_API bool orff_lattice_moments_is_file(const char *path);

/* ---------------------------------------------------------------- 9. ridge from moments
 *
 *     minimise  (1/N) sum c_i |f(x_i) - y_i|^2 + lambda |theta|^2,     N = sum c_i
 *
 * With `center` the mean of y is subtracted first and becomes the intercept, which is not penalised.
 */

typedef struct orff_solve_info {
    const char *method; /* "cholesky", "eigen", "stein-cholesky", "stein-eigen", "lsmr", "idr", ... */
    size_t iterations;  /* of an iterative method */
    double residual;    /* |A theta - b| / |b| of the normal equations */
    double condition;   /* estimated condition number of the system solved (0: unknown) */
    double jitter;      /* added to the diagonal because the system was singular to rounding, else 0 */
    bool converged;     /* false: the tolerance was not reached; theta is the best found */
    bool fell_back;     /* the first method failed and another was used */
} orff_solve_info;

typedef struct orff_ridge orff_ridge;

/* The ridge problem of a kernel on some moments. It keeps its factors, so further lambdas are cheap.
 * Both objects must outlive it, and the moments must not change meanwhile. */
ORFF_API orff_status orff_ridge_create(orff_ridge **ridge, const orff_features *features,
                                       const orff_moments *moments, bool center);
ORFF_API void orff_ridge_free(orff_ridge *ridge);

/* theta (M) and intercept (p, zeros without center; may be NULL) for one lambda > 0. info may be NULL. */
ORFF_API orff_status orff_ridge_solve(orff_ridge *ridge, double lambda, double *theta, double *intercept,
                                      orff_solve_info *info);

typedef struct orff_path_point {
    double lambda;
    double train_mse;    /* mean of squared errors over rows and outputs, on the training rows */
    double gcv;          /* generalised cross-validation, the same unit */
    double dof;          /* effective degrees of freedom, trace of the hat matrix */
    double log_evidence; /* log marginal likelihood of the Gaussian process with noise variance N lambda */
    double cv_mse;       /* K-fold cross-validated, NAN without folds */
    double noise;        /* estimate of the noise variance: residual sum of squares / (N p - dof) */
} orff_path_point;

/* These numbers for a whole path, from the moments alone. cross_validate asks for cv_mse, which needs one
 * factorisation for each fold. */
ORFF_API orff_status orff_ridge_path(orff_ridge *ridge, size_t count, const double *lambdas,
                                     bool cross_validate, orff_path_point *points);

/* Exact leave-one-out mean square error for each lambda (N lambda held fixed), given the rows again. */
ORFF_API orff_status orff_ridge_leave_one_out(orff_ridge *ridge, size_t n, const double *X, const double *Y,
                                              size_t count, const double *lambdas, double *loo_mse);

#define ORFF_CRITERION_LIST(X)                                                    \
    X(EVIDENCE, "evidence")                 /* the largest marginal likelihood */ \
    X(CROSS_VALIDATION, "cross-validation") /* the smallest cross-validated error */

typedef enum orff_criterion {
#define ORFF_CRITERION_ENUM(name, text) ORFF_CRITERION_##name,
    ORFF_CRITERION_LIST(ORFF_CRITERION_ENUM)
#undef ORFF_CRITERION_ENUM
        ORFF_CRITERION_COUNT
} orff_criterion;

ORFF_API const char *orff_criterion_name(orff_criterion criterion);
ORFF_API const char *const *orff_criterion_names(void);
ORFF_API orff_status orff_criterion_parse(const char *name, orff_criterion *criterion);

/* Learn the weights v_m of a sum's parts and lambda from the moments: those that maximise the evidence, or
 * minimise the cross-validated error. weights holds the start values (multipliers of the parts' own
 * weights, > 0) and receives the result; parts that explain less than `drop` of the variance get weight 0.
 * shares (n_parts + 1, may be NULL) receives the share of each part in the variance of y, and last that of the noise. */
ORFF_API orff_status orff_mixture_learn(const orff_features *features, const orff_moments *moments,
                                        bool center, orff_criterion criterion, double drop, double *weights,
                                        double *lambda, double *shares, orff_solve_info *info);

/* ---------------------------------------------------------------- 10. losses and iteration */

#define ORFF_LOSS_LIST(X)                                                                             \
    X(SQUARED, "squared")   /* |f-y|^2 */                                                             \
    X(HUBER, "huber")       /* of n = |f-y|: n^2/2 up to parameter delta, then delta (n - delta/2) */ \
    X(EPSILON, "epsilon")   /* max(0, |f-y| - parameter) */                                           \
    X(PINBALL, "pinball")   /* quantile parameter in (0,1), summed over outputs */                    \
    X(LOGISTIC, "logistic") /* softmax over simplex codes: y is a code in R^(T-1) */                  \
    X(HINGE, "hinge")       /* simplex hinge: sum over the other classes of max(0, 1/(T-1) + c_k.f) */

typedef enum orff_loss {
#define ORFF_LOSS_ENUM(name, text) ORFF_LOSS_##name,
    ORFF_LOSS_LIST(ORFF_LOSS_ENUM)
#undef ORFF_LOSS_ENUM
        ORFF_LOSS_COUNT
} orff_loss;

ORFF_API const char *orff_loss_name(orff_loss loss);
ORFF_API const char *const *orff_loss_names(void);
ORFF_API orff_status orff_loss_parse(const char *name, orff_loss *loss);

/* The properties of a loss. */
typedef struct orff_loss_info {
    bool classes;      /* of classes: y is a simplex code */
    bool parametrised; /* has a parameter */
} orff_loss_info;
ORFF_API orff_loss_info orff_loss_describe(orff_loss loss);

/* The loss of a prediction f for y (p values each) and its gradient in f (p values, may be NULL). */
ORFF_API orff_status orff_loss_evaluate(orff_loss loss, double parameter, size_t p, const double *f,
                                        const double *y, double *value, double *gradient);

#define ORFF_SOLVER_LIST(X)                                                                               \
    X(AUTO, auto, "auto") /* direct where the system fits, else pcg; sgd for losses other than squared */ \
    X(DIRECT, direct, "direct") /* from moments, in closed form */                                        \
    X(LSMR, lsmr, "lsmr")       /* these four sweep the rows: see orff_iterate */                         \
    X(IDR, idr, "idr")                                                                                    \
    X(PCG, pcg, "pcg")                                                                                    \
    X(SGD, sgd, "sgd")

typedef enum orff_solver {
#define ORFF_SOLVER_ENUM(name, file, text) ORFF_SOLVER_##name,
    ORFF_SOLVER_LIST(ORFF_SOLVER_ENUM)
#undef ORFF_SOLVER_ENUM
        ORFF_SOLVER_COUNT
} orff_solver;

ORFF_API const char *orff_solver_name(orff_solver solver);
ORFF_API const char *const *orff_solver_names(void);
ORFF_API orff_status orff_solver_parse(const char *name, orff_solver *solver);

typedef struct orff_iteration {
    orff_solver solver; /* lsmr, idr, pcg or sgd */
    double lambda;      /* > 0 */
    double tolerance;   /* relative residual of the normal equations to stop at (sgd: change of the loss) */
    size_t max_iterations; /* sgd: passes over the data */
    orff_loss loss;        /* other than squared: sgd only */
    double loss_parameter;
    size_t batch;     /* sgd: rows in a step */
    size_t subsample; /* pcg: rows in the preconditioner; 0: chosen by the size */
    size_t shadow;    /* idr: s of IDR(s) */
    uint64_t seed;    /* sgd: order of the rows; pcg: which rows */
    bool single;      /* phi in float */
} orff_iteration;

/* pcg, lambda 1e-6, tolerance 1e-8, 500 iterations, s = 4, batch 256. */
ORFF_API orff_iteration orff_iteration_default(void);

/* Minimise without moments, if D is too large for S. theta (M) contains the start value and receives the
 * result. Each iteration reads the data once. intercept (p) is subtracted from y first; NULL: zeros. */
ORFF_API orff_status orff_iterate(const orff_features *features, size_t n, const double *X, const double *Y,
                                  const double *weights, const double *intercept, const orff_iteration *how,
                                  double *theta, orff_solve_info *info);

/* This process among several that share the rows. */
typedef struct orff_sharing {
    size_t rank, count; /* number of this process, from 0; number of processes */
    /* Sums over rows are computed in blocks of so many rows, 0: all at once. If the rows of every process
     * begin at a multiple of it, in the order of the processes, the result does not depend on how the rows
     * are divided. */
    size_t block;
    /* Replaces the numbers by the sums of numbers + low over all processes, equal to the last bit in all
     * of them. low: the rounding errors of the numbers (NULL: none), which make the result independent of
     * the order of the processes. A nonzero result reports failure. */
    int (*sum)(void *self, size_t count, double *numbers, const double *low);
    void *self;
} orff_sharing;

/* orff_iterate for rows divided among processes; n may be 0. One sum of M numbers per iteration (pcg: two,
 * and only the first process decomposes the subsample). All processes must call it with the same
 * intercept, settings and theta. They then call sum equally often with the same counts, and get the same
 * theta. A process that fails leaves the others waiting in sum, so sum must notice that. Not for sgd.
 * orff_mpi.h implements this for MPI. */
ORFF_API orff_status orff_iterate_shared(const orff_features *features, size_t n, const double *X,
                                         const double *Y, const double *weights, const double *intercept,
                                         const orff_iteration *how, const orff_sharing *sharing,
                                         double *theta, orff_solve_info *info);

/* ---------------------------------------------------------------- 11. exact
 *
 *   f(x) = intercept + sum_i K(x, x_i) alpha_i,      (K + N lambda I) alpha = y
 *
 * is the model that features approximate. Cost N^3 + p^3 if all parts are decomposable and have the same
 * spectrum, (N p)^3 otherwise. Rows have equal weights; a model of ORFF_ENGINE_EXACT (section 12) takes
 * weights too. Large factorisations report their progress and can be stopped; an eigendecomposition
 * (orff_exact_path, several lambdas) is one call of LAPACK, which cannot. */

typedef struct orff_exact orff_exact;

/* Fails at once if more memory than max_bytes (0: half of the machine's) would be needed, and says how
 * much. */
ORFF_API orff_status orff_exact_fit(orff_exact **exact, const orff_kernel *kernel, size_t n, const double *X,
                                    const double *Y, double lambda, bool center, size_t max_bytes);
ORFF_API void orff_exact_free(orff_exact *exact);
ORFF_API orff_status orff_exact_predict(const orff_exact *exact, size_t n, const double *X, double *F);
ORFF_API orff_status orff_exact_alpha(const orff_exact *exact, double *alpha); /* N x p */
ORFF_API double orff_exact_norm2(const orff_exact *exact);                     /* |f|^2 = alpha^T K alpha */
/* The peak memory of orff_exact_fit, in bytes. */
ORFF_API size_t orff_exact_bytes(const orff_kernel *kernel, size_t n);

/* The path of lambdas (see orff_ridge_path) from one eigendecomposition. cv_mse is the exact
 * leave-one-out error: N lambda is fixed, and the mean, with center, is that of the other rows. */
ORFF_API orff_status orff_exact_path(const orff_kernel *kernel, size_t n, const double *X, const double *Y,
                                     bool center, size_t max_bytes, size_t count, const double *lambdas,
                                     orff_path_point *points);

/* The covariance of f(x) given the rows, of the Gaussian process with noise variance N lambda:
 *
 *     K(x,x) - k(x)^T (K + N lambda I)^-1 k(x)                  (n x p x p), never negative
 *
 * It needs a factor of the matrix, which orff_exact_keep computes and keeps. */
ORFF_API orff_status orff_exact_keep(orff_exact *exact, size_t max_bytes);
ORFF_API orff_status orff_exact_covariance(const orff_exact *exact, size_t n, const double *X,
                                           double *covariance);

/* ---------------------------------------------------------------- 12. models
 *
 * A model is the result of an engine, with the scaling of the data: f(x) = mean + spread * g((x - shift)/unit).
 * The engine of random features has g(x) = Phi(x)^T theta, the exact one sum_i K(x, x_i) alpha_i over all training
 * points, that of a lattice sum_k V_k exp(i <w_k, x>) over its waves. All have the same calls. */

#define ORFF_ENGINE_LIST(X)                                                                                 \
    X(AUTO, auto, "auto")    /* decided by the settings and the rows; orff_model_info says which and why */ \
    X(EXACT, exact, "exact") /* the exact kernel (section 11), for rows that are few */                     \
    X(LATTICE, lattice,                                                                                     \
      "lattice") /* the exact kernel on a lattice of frequencies, for up to three inputs */                 \
    X(FEATURES, features,                                                                                   \
      "features")            /* random features: closed form from moments, or an iterative solver */        \
    X(STACK, stack, "stack") /* layers of random features, learned together: section 14 */

typedef enum orff_engine {
#define ORFF_ENGINE_ENUM(name, file, text) ORFF_ENGINE_##name,
    ORFF_ENGINE_LIST(ORFF_ENGINE_ENUM)
#undef ORFF_ENGINE_ENUM
        ORFF_ENGINE_COUNT
} orff_engine;

ORFF_API const char *orff_engine_name(orff_engine engine);
ORFF_API const char *const *orff_engine_names(void);
ORFF_API orff_status orff_engine_parse(const char *name, orff_engine *engine);

/* Longitude and latitude. A region of the Earth is learned in km on a plane that touches the Earth at the region's
 * centre: azimuthal equidistant, on the sphere of 6371.0088 km. Two inputs are then degrees (longitude, latitude), the
 * two outputs eastward and northward components, which are rotated to the plane. Length scales are in km. A model contains
 * its plane: points are given in degrees, results are eastward and northward, and derivatives are per km.
 *
 * Instead of that plane a projected coordinate system may be named (crs), if the library was built with PROJ: a code such as
 * EPSG:32633, or a string "+proj=lcc +lat_0=47 ..". Its coordinates are taken in km. Vectors keep their length and are
 * turned by the projection's own derivatives. */
#define ORFF_GEO_LIST(X)                                                      \
    X(NONE, "none")     /* inputs are coordinates of the space they are in */ \
    X(LONLAT, "lonlat") /* two of them are longitude and latitude in degrees */

typedef enum orff_geo {
#define ORFF_GEO_ENUM(name, text) ORFF_GEO_##name,
    ORFF_GEO_LIST(ORFF_GEO_ENUM)
#undef ORFF_GEO_ENUM
        ORFF_GEO_COUNT
} orff_geo;

ORFF_API const char *orff_geo_name(orff_geo geo);
ORFF_API const char *const *orff_geo_names(void);
ORFF_API orff_status orff_geo_parse(const char *name, orff_geo *geo);

/* The two inputs that are degrees: the first two that are not covariates (covariate: d flags; NULL: none
 * is). Fails if there are fewer than two, or if there are not two outputs. */
ORFF_API orff_status orff_geo_inputs(size_t d, size_t p, const bool *covariate, size_t inputs[2]);

/* What a fit does automatically, for use with moments and in other programs: the plane at the centre of n
 * rows X (n x d), and the projection of rows X and vectors (n x 2, may be NULL) from degrees, eastward and
 * northward to the plane, in place. Fails for latitudes beyond 90, longitudes beyond 540, and data that
 * surround the Earth and so have no centre. */
ORFF_API orff_status orff_plane_around(orff_plane *plane, size_t d, const size_t inputs[2], size_t n,
                                       const double *X);
ORFF_API orff_status orff_plane_project(const orff_plane *plane, size_t d, size_t n, double *X,
                                        double *vectors);

/* The plane of a projected coordinate system; its rows may surround the Earth. Fails for unknown names and
 * for systems that are not projected; ORFF_ERROR_UNSUPPORTED for all names if the library was built
 * without PROJ. */
ORFF_API orff_status orff_plane_of_crs(orff_plane *plane, const char *crs, size_t d, const size_t inputs[2]);

/* Coasts: lines of points (x, y), longitude and latitude in degrees if there is a plane. Line k has the
 * points starts[k] to starts[k + 1] - 1. A line that ends where it begins is a ring; points inside an odd
 * number of rings are land. A point that is not finite interrupts its line. */
typedef struct orff_coast {
    size_t lines;
    const size_t *starts; /* lines + 1 */
    const double *points; /* starts[lines] x 2 */
} orff_coast;

/* Points along the coast, `spacing` apart, each with a unit normal: rows (room x 4) of x, y, nx, ny. A
 * flow that does not cross the coast satisfies nx u + ny v = 0 there. box: only points with
 * box[0] <= x <= box[1] and box[2] <= y <= box[3]; NULL: all. With a plane (NULL: none) the spacing is in
 * km, x and y are degrees, with longitudes in the range of the box, and normals have eastward and
 * northward components. *n is the number of points, even if it exceeds the room (rows may then be NULL). */
ORFF_API orff_status orff_coast_points(const orff_coast *coast, const orff_plane *plane, double spacing,
                                       const double *box, size_t room, double *rows, size_t *n);

/* Which of n points (n x 2) are on land; in degrees, longitudes may be shifted by whole turns. *rings (may
 * be NULL): the number of rings; without rings, nothing is land. */
ORFF_API orff_status orff_coast_land(const orff_coast *coast, bool degrees, size_t n, const double *points,
                                     bool *land, size_t *rings);

/* Which rows are held out together for the reported errors. Neighbouring rows contain much the same information, so the
 * error of a row among its neighbours is too small. */
#define ORFF_FOLDS_LIST(X)                                                                            \
    X(AUTO, "auto")     /* groups where they are given, else blocks */                                \
    X(RANDOM, "random") /* rows, each by itself */                                                    \
    X(BLOCKS, "blocks") /* rows that lie in the same block of inputs, about two length scales wide */ \
    X(GROUPS, "groups") /* rows of the same group: a station, a track, an hour */

typedef enum orff_folds {
#define ORFF_FOLDS_ENUM(name, text) ORFF_FOLDS_##name,
    ORFF_FOLDS_LIST(ORFF_FOLDS_ENUM)
#undef ORFF_FOLDS_ENUM
        ORFF_FOLDS_COUNT
} orff_folds;

ORFF_API const char *orff_folds_name(orff_folds folds);
ORFF_API const char *const *orff_folds_names(void);
ORFF_API orff_status orff_folds_parse(const char *name, orff_folds *folds);

/* The trend: columns h(x) without a penalty, for each output. Their coefficients b are estimated together with the field g
 * in f(x) = h(x)^T b + g(x) by generalised least squares. Far from all rows f follows h(x)^T b. */
#define ORFF_TREND_LIST(X)                                                                      \
    X(NONE, "none")           /* the field alone, about the mean of y where `center` says so */ \
    X(CONSTANT, "constant")   /* a number, which differs from that mean where rows crowd */     \
    X(LINEAR, "linear")       /* and a multiple of each input */                                \
    X(QUADRATIC, "quadratic") /* and of their squares and products */

typedef enum orff_trend {
#define ORFF_TREND_ENUM(name, text) ORFF_TREND_##name,
    ORFF_TREND_LIST(ORFF_TREND_ENUM)
#undef ORFF_TREND_ENUM
        ORFF_TREND_COUNT
} orff_trend;

ORFF_API const char *orff_trend_name(orff_trend trend);
ORFF_API const char *const *orff_trend_names(void);
ORFF_API orff_status orff_trend_parse(const char *name, orff_trend *trend);

typedef struct orff_settings {
    /* The kernel; n_parts = 0: one decomposable part with identity, base and sigma auto. If the sigma of a part is
     * ORFF_SIGMA_AUTO or ORFF_SIGMA_ARD (without sigmas), it maximises the evidence, the probability of the outputs of some
     * of the rows; and so does a base of ORFF_BASE_AUTO, among gaussian and matern of order 1/2, 3/2 and 5/2. If there is
     * no evidence (features, classes, losses other than squared, parts with callbacks), cross-validation chooses a multiple
     * of the median distance between inputs, and the base auto is gaussian. */
    size_t n_parts;
    const orff_part *parts;

    bool mixture;             /* learn the weights of the parts ... */
    orff_criterion criterion; /* ... by this criterion */
    /* Try all rules that fit d and p, and their sum, and keep the best; of `parts` only the first one's
     * base, shape and space are used. */
    bool auto_kernel;
    bool auto_mix; /* Helmholtz parts: choose c, also by the evidence */

    orff_engine engine;

    /* The engine of features: extent is taken from the data if NULL. features = 0 is auto, see
     * orff_settings_features; for the grid the tolerance then decides. */
    orff_sampling sampling;

    /* > 0; 0: auto, from the noise that maximises the evidence: N lambda is its variance over that of the field, times
     * trace K(0)/p. Without evidence, or if a path was asked for, lambda minimises the error on held-out rows: those of folds,
     * or for exact models each row in turn; for lattices it maximises the evidence. */
    double lambda;
    double lambda_low, lambda_high; /* the path that auto searches, relative to trace K(0)/p */
    size_t lambda_count;
    size_t folds;
    orff_folds folds_by;
    /* One for each row of orff_model_fit and orff_model_tune (n numbers); NULL: none. */
    const uint64_t *groups;

    orff_solver solver; /* of the engine of features */
    orff_loss loss;
    double loss_parameter;
    /* Leave out rows that differ from their neighbours far more than these do; needs rows in memory. */
    bool drop_outliers;
    double tolerance; /* of iterative solvers */
    size_t max_iterations;
    size_t shadow; /* idr: s of IDR(s) */
    size_t batch;  /* sgd: rows in a step */

    /* The engine STACK, which AUTO chooses if there are hidden layers; for decomposable parts and the
     * squared loss. W of the first layer divides the inputs by the kernel's length scales, so that these
     * are 1 in later layers. Stacks use `batch` too. */
    size_t n_hidden;
    const size_t *hidden;              /* n_hidden widths, from the inputs to the outputs */
    size_t hidden_features;            /* frequencies of each hidden layer; 0: auto */
    orff_base hidden_base;             /* of hidden layers ... */
    double hidden_shape, hidden_sigma; /* ... and their length scale, in units of the kernel's */
    size_t epochs;                     /* passes over the rows, at most; 0: auto, see orff_stack_training */
    double rate;                       /* of a step, see orff_stack_training */

    /* T >= 2: Y is one column of labels 0 .. T-1, coded by a simplex with p = T-1 outputs ... */
    size_t classes;
    /* ... or by these codes, T x code_length, all different, for the squared loss; NULL: the simplex. */
    const double *codes;
    size_t code_length;
    bool single; /* moments and iterations in single precision */

    /* LONLAT: the rows are projected to a plane at their centre; for a stream, at the centre of its first rows
     * (subsample). geo_inputs: the two inputs that are degrees; NULL: the space of the first part that has one, otherwise
     * the first two. A fit from moments uses the plane of the moments. */
    orff_geo geo;
    const size_t *geo_inputs;
    const char *
        crs; /* LONLAT: the rows are projected to the plane of this coordinate system; NULL: one at their centre */

    /* Periodic inputs: the period of each (d values, 0 for none), in the inputs' units; NULL: none is periodic. Values
     * outside one period are reduced modulo it. For the engine LATTICE, which AUTO then chooses. */
    const double *periods;

    bool center; /* subtract the mean of y; not with a trend */

    /* For rows in memory and the squared loss. Automatic choices are made with the trend subtracted by least squares; then the
     * trend is estimated with the kernel and lambda that were found. trend_inputs: the inputs in the trend (d values); NULL:
     * all that are not periodic. */
    orff_trend trend;
    const bool *trend_inputs;

    /* n: rows with the same number, such as a station or an instrument, share an offset, a vector that is not part of f; NULL:
     * none. The evidence determines the variance of offsets, which shrinks them. 2 to 256 groups. The trend is at least CONSTANT. */
    const uint64_t *offset_groups;

    /* Divide inputs by their spread: each by its own, or all by one if a part is physical (otherwise
     * curl-free functions would not stay curl-free) or has callbacks and is not stretchable. Given sigmas
     * are then in units of the spread. AUTO: if sigma is auto and no part is of these kinds; for classes
     * each by its own, or all by one, whichever predicts held-out rows better. */
    orff_switch scale_inputs;
    /* Divide outputs by their spread, so that none dominates: each by its own, or all by one if a part is
     * physical. AUTO: if sigma or lambda is auto and every part is decomposable with the identity. */
    orff_switch scale_outputs;

    /* Keep what error bars need. AUTO: if its matrix has at most 6000 rows; for lattices up to 2 million
     * rows of data. */
    orff_switch posterior;
    size_t subsample; /* rows used for automatic choices */
    size_t max_bytes; /* exact: fail if more memory than this is needed; 0: half of the machine's */

    /* A file to which a fit to rows saves its progress every checkpoint_rows rows (an iteration reads all of them), at
     * the end, and when it is stopped; NULL: none. After a crash, the same call with `resume` continues from it: it reads
     * the rows again and skips those that it has added. The model is that of a run without interruption: bit for bit if it
     * is made from moments (on the same machine with the same threads), and to the tolerance if it is iterated. Other
     * settings or rows than those of the file are refused (ORFF_ERROR_MISMATCH), and so is a file that is not a
     * checkpoint; such files are not changed. The file stays after success: once the model is saved,
     * remove it with orff_checkpoint_remove. Exact models, tuning and fits from moments have no checkpoints. */
    const char *checkpoint;
    uint64_t checkpoint_rows;
    bool resume; /* from the checkpoint, if it exists; without it, an existing checkpoint is refused */
} orff_settings;

/* Everything auto: 5 folds, 45 lambdas from 1e-10 to 10, center, 20000 rows for the automatic
 * choices, a million rows between checkpoints. */
ORFF_API orff_settings orff_settings_default(void);

/* The iteration that the settings describe, at this lambda. If they name no iterative solver: pcg, or sgd for its losses. */
ORFF_API orff_iteration orff_settings_iteration(const orff_settings *settings, double lambda);

/* How many frequencies a fit to `rows` rows (0: not known) with p outputs (T-1 for T classes) draws: the number in the
 * settings, or otherwise 1000, but at most half the rows, few enough that the system to solve has at most 2400
 * unknowns, and at least 100. 0: the tolerance of a grid determines it. */
ORFF_API size_t orff_settings_features(const orff_settings *settings, size_t d, size_t p, size_t rows);

/* The engine whose moments sum up incomplete or directed rows that are too many for memory: that of the settings or, if it is AUTO,
 * LATTICE where a lattice can represent them and no setting asks for features, otherwise FEATURES. */
ORFF_API orff_engine orff_settings_engine_of_sums(const orff_settings *settings, size_t d, size_t p);

/* Settings by name and text, as for command lines, other languages and files of settings. The defaults above, the options
 * and the help of the program, the parameters of the Python package and docs/settings.md are all made from one table of
 * settings. */

typedef enum orff_setting_kind {
    ORFF_SETTING_NUMBER,
    ORFF_SETTING_WHOLE, /* a whole number */
    ORFF_SETTING_NAME,  /* one of `names` */
    ORFF_SETTING_TEXT   /* a format of its own, which may contain names */
} orff_setting_kind;

/* What a setting affects. A command of the program takes the settings of its uses. */
#define ORFF_USE_KERNEL   1u  /* what the kernel is */
#define ORFF_USE_FEATURES 2u  /* how frequencies are drawn */
#define ORFF_USE_MOMENTS  4u  /* what is summed over rows */
#define ORFF_USE_LEARNING 8u  /* how the model is learned */
#define ORFF_USE_SOLVING  16u /* how its equations are solved; none for exact models */
#define ORFF_USE_STREAM   32u /* long passes over rows */

typedef struct orff_setting {
    const char *name; /* "lambda-grid" */
    orff_setting_kind kind;
    const char *fallback;              /* the default, as text; NULL: not given */
    bool automatic;                    /* numbers: "auto" is accepted too */
    double least, most;                /* numbers: the range */
    const char *const *(*names)(void); /* the names it takes; NULL: none */
    const char *form;                  /* how it is written: "S | S1,..,Sd | auto" */
    const char *unit;                  /* in words; "" where there is none */
    unsigned uses;
    const char *group, *help;
} orff_setting;

/* Line i of the table, NULL after its end; and a setting by its name, NULL if there is none. */
ORFF_API const orff_setting *orff_setting_at(size_t i);
ORFF_API const orff_setting *orff_setting_find(const char *name);

/* Texts of settings, from which an orff_settings is made. */
typedef struct orff_options orff_options;

ORFF_API orff_status orff_options_create(orff_options **options);
ORFF_API void orff_options_free(orff_options *options);

/* A setting by name and text. What can be checked without the data is checked here. The message of a failure begins with
 * the name: "sigma: ..". */
ORFF_API orff_status orff_options_set(orff_options *options, const char *name, const char *text);

/* The text that was set, or its default; NULL if it has none, or if there is no such setting. */
ORFF_API const char *orff_options_get(const orff_options *options, const char *name);
ORFF_API bool orff_options_given(const orff_options *options, const char *name);

/* The setting that the last failing call was about; "" if it was about none. */
ORFF_API const char *orff_options_culprit(const orff_options *options);

/* What texts are resolved against. */
typedef struct orff_data_shape {
    size_t d, p;               /* inputs, and outputs as the user sees them (1 for classes) */
    size_t classes;            /* 0: regression */
    const char *const *inputs; /* d names, or NULL: for covariates */
    size_t n;                  /* rows available; 0: none ... */
    const double *X,
        *Y; /* ... for what is computed from them: a median of distances, a covariance of outputs */
    bool fixed; /* no fit follows, as for orff_kernel_create: what only a fit can choose or learn is refused */
} orff_data_shape;

/* All of them as settings. Their pointers are valid as long as the options live and until they are resolved again. */
ORFF_API orff_status orff_options_resolve(orff_options *options, const orff_data_shape *shape,
                                          orff_settings *settings);

/* Which of the d inputs the setting "covariates" names; d and inputs of the shape are enough. covariate (d) is set. */
ORFF_API orff_status orff_options_covariates(orff_options *options, const orff_data_shape *shape,
                                             bool *covariate);

/* The settings that were given, as lines "name=text", which orff_options_read reads. */
ORFF_API orff_status orff_options_write(const orff_options *options, char **text); /* orff_text_free */
ORFF_API orff_status orff_options_read(orff_options *options, const char *text);
ORFF_API void orff_text_free(char *text);

/* What a fit of n rows will cost on this machine. */
typedef struct orff_cost {
    double seconds;
    double bytes;    /* at the peak, besides the caller's rows */
    size_t features; /* frequencies that it would use; 0: none, an exact model */
} orff_cost;

/* Measures for a few seconds at most and extrapolates; other running programs disturb it. For the direct solver and the exact
 * engine, with lambda and length scales given or auto. ORFF_ERROR_UNSUPPORTED if the cost cannot be predicted: iterations, or
 * a kernel, weights or a mix to be chosen. The cost of a lattice depends on the rows; it is predicted for a field with
 * details of a tenth of its range and noise of about a tenth of its spread: with next to none it may be several times as much, which
 * a given lambda tells. Reading rows is not included. */
ORFF_API orff_status orff_cost_estimate(const orff_settings *settings, size_t d, size_t p, size_t n,
                                        orff_cost *cost);

/* Fit to n rows X (n x d), Y (n x p; n x 1 labels for classes); weights may be NULL. */
ORFF_API orff_status orff_model_fit(orff_model **model, const orff_settings *settings, size_t d, size_t p,
                                    size_t n, const double *X, const double *Y, const double *weights);

/* Known functionals of a field, in addition to measurements of it. Each is a sum over some points, z = sum of <e, f(x)>, with an
 * error of known standard deviation. A derivative is a difference over a short step, an integral a sum by quadrature; the
 * functions below make the points. */
typedef struct orff_functionals {
    size_t n;
    const size_t *counts; /* n: number of points of each */
    const double *points; /* sum of the counts x (d + p): x and e of each point */
    const double *values; /* n */
    const double *errors; /* n: standard deviations, positive */
} orff_functionals;

/* Points (count x (d + p)) of one functional of a field whose space is the first p inputs; returns count.
 * points may be NULL. step: the length of the difference, in the units of the inputs; a hundredth of the
 * length scale is accurate to 1e-4.
 *
 *   gradient        the derivative of an output by an input, both counted from 0
 *   divergence      sum of d f_k / d x_k, for p <= d
 *   vorticity       d f_1 / d x_0 - d f_0 / d x_1, for p = 2
 *   circulation     the integral of <f, dx> on a straight line from a to b: for a gradient, the difference of
 *                   its potential
 *   flux            the integral of f_0 dx_1 - f_1 dx_0, for p = 2: for a flow
 *                   (d psi / d x_1, -d psi / d x_0), that of psi
 *
 * nodes: of Gauss-Legendre quadrature, 1 to 64; two for each length scale along the line are plenty.
 * Returns 0 and writes nothing if there is no such functional. */
ORFF_API size_t orff_functional_gradient(size_t d, size_t p, const double *x, size_t output, size_t input,
                                         double step, double *points);
ORFF_API size_t orff_functional_divergence(size_t d, size_t p, const double *x, double step, double *points);
ORFF_API size_t orff_functional_vorticity(size_t d, size_t p, const double *x, double step, double *points);
ORFF_API size_t orff_functional_circulation(size_t d, size_t p, const double *a, const double *b,
                                            size_t nodes, double *points);
ORFF_API size_t orff_functional_flux(size_t d, size_t p, const double *a, const double *b, size_t nodes,
                                     double *points);

/* Measurements that are incomplete or of unequal quality. A row without directions contains all outputs, or those that are not
 * NAN. A row with a direction e contains one number, y = <e, f(x)>, as radars and lidars measure. */
typedef struct orff_observations {
    size_t d, p, n;
    const double *X; /* n x d */
    const double *Y; /* n x p, NAN where an output is missing; with directions n numbers, none missing */
    const double *directions; /* n x p, of any length but 0; or NULL */
    const double *weights;    /* n, or NULL */
    /* Known standard deviations of the errors of the numbers of Y, in the same layout; or NULL. */
    const double *errors;
    /* n: rows with the same number have the same noise, which may differ from the others'; at most
     * ORFF_INSTRUMENTS numbers, counted from 0; or NULL. */
    const uint32_t *instruments;
    size_t n_walls;
    /* n_walls x (d + p): points of a wall, and normals e there: the field does not cross it, <e,
     * f(x)> = 0. Each counts 10 times as much as a row of weight 1, but is not a row: no choice depends on
     * it, and N does not include it; or NULL. */
    const double *walls;
    /* Or NULL. The rows alone determine kernel, lambda and noise; then rows and functionals are fitted
     * together. Not with a trend. */
    const orff_functionals *functionals;
} orff_observations;

#define ORFF_INSTRUMENTS 64

/* Unit vectors (n x 2) of angles in degrees, counted from the first axis towards the second, or clockwise
 * from the second (from_north). toward: the opposite vectors, for numbers that are positive for what comes
 * nearer. */
ORFF_API void orff_directions(size_t n, const double *degrees, bool from_north, bool toward,
                              double *directions);

/* Fit to such measurements. With errors, the noise of a number is a factor times its error plus a constant. The evidence
 * determines both, and the noise of each instrument. N of N lambda is the sum of the weights of all rows with at least one
 * output. For the squared loss. */
ORFF_API orff_status orff_model_fit_observations(orff_model **model, const orff_settings *settings,
                                                 const orff_observations *observations);

/* Such measurements, block by block. read fills up to `room` rows of X (room x d), Y (room x p, NAN where
 * an output is missing; with `directed` room numbers), directions (room x p), errors (as Y) and weights
 * (room); pointers whose flag is not set are NULL. It sets *rows to the number of rows (0: no more) and
 * returns 0, or another value to report failure. */
typedef struct orff_observation_reader {
    int (*read)(void *self, size_t room, double *X, double *Y, double *directions, double *errors,
                double *weights, size_t *rows);
    void *self;
    bool directed, errors, weighted;
} orff_observation_reader;

/* Moments of such measurements: missing outputs, directions, weights and errors. Sums cannot tell which
 * share of the noise the known errors explain: with errors, a number of Y counts weight / error^2, and the
 * evidence finds a common factor of the errors. Rows with errors and rows without cannot be summed
 * together. Instruments, walls and functionals need rows in memory. A lattice takes up to
 * ORFF_LATTICE_OUTPUTS outputs. */
ORFF_API orff_status orff_moments_accumulate_observations(orff_moments *moments,
                                                          const orff_observations *observations);
ORFF_API orff_status orff_moments_read_observations(orff_moments *moments,
                                                    const orff_observation_reader *reader);
ORFF_API orff_status orff_lattice_moments_accumulate_observations(orff_lattice_moments *moments,
                                                                  const orff_observations *observations);
ORFF_API orff_status orff_lattice_moments_read_observations(orff_lattice_moments *moments,
                                                            const orff_observation_reader *reader);

/* Which rows moments have room for: complete rows; rows whose outputs count separately (some are missing,
 * or there are errors); rows with directions, and all incomplete rows on a plane. For a lattice the last
 * two are the same. Moments grow by themselves when such rows come; moments that are to be added as
 * numbers (orff_moments_get) must be given the same room before. */
typedef enum orff_rows { ORFF_ROWS_WHOLE, ORFF_ROWS_PARTED, ORFF_ROWS_DIRECTED } orff_rows;
ORFF_API orff_rows orff_moments_room(const orff_moments *moments);
ORFF_API orff_status orff_moments_widen(orff_moments *moments, orff_rows rows);
ORFF_API orff_rows orff_lattice_moments_room(const orff_lattice_moments *moments);
ORFF_API orff_status orff_lattice_moments_widen(orff_lattice_moments *moments, orff_rows rows);

/* Fit to all rows of a reader, in one pass: memory does not grow with the rows. Automatic choices use the
 * first rows. Iterative solvers and exact models need the rows again and keep them in memory. */
ORFF_API orff_status orff_model_fit_stream(orff_model **model, const orff_settings *settings, size_t d,
                                           size_t p, const orff_reader *reader);

/* A quick fit that makes the automatic choices of a kernel (rules, bases, shapes, length scales, mix) where moments need it before
 * the first row is added. Its parts say what was chosen (orff_model_part); its predictions are rough. It has 300 random
 * frequencies; or with the engine EXACT the kernel itself, and with LATTICE settings->subsample rows from all over those that are
 * given, without their instruments, walls and functionals. Length scales of other rows may be up to ORFF_PROBE_SCALES times shorter or longer. */
#define ORFF_PROBE_SCALES 2
ORFF_API orff_status orff_model_probe(orff_model **model, const orff_settings *settings,
                                      const orff_observations *rows);

/* Fit from moments of a lattice: the kernel and lambda are free. A sigma that is auto is the one of most evidence between
 * the shortest and the longest length scales that the lattice was made for; a kernel that it does not carry is refused. */
ORFF_API orff_status orff_model_fit_lattice_moments(orff_model **model, const orff_settings *settings,
                                                    const orff_lattice_moments *moments);

/* Fit from moments: lambda, the parts' weights and block rules are free, the frequencies are those of the
 * moments. With n_parts = 0: decomposable on their first group. */
ORFF_API orff_status orff_model_fit_moments(orff_model **model, const orff_settings *settings,
                                            const orff_moments *moments);

/* A model of features with coefficients found by other means, such as those of a system too large for one
 * machine (orff_mpi.h). It has no error bars, and its errors are those given here. */
typedef struct orff_found {
    const double *theta;     /* M */
    const double *intercept; /* p */
    double lambda;
    uint64_t rows;
    double weight;                /* sum of the weights */
    double train_mse;             /* NAN if unknown */
    const orff_solve_info *solve; /* NULL: Cholesky */
} orff_found;
ORFF_API orff_status orff_model_of_features(orff_model **model, const orff_features *features,
                                            const orff_found *found);

/* Fit the best of several settings, the one with the smallest cross-validated error, to all rows.
 * Candidates with the same frequencies share one pass over the data. scores (count, may be NULL):
 * cross-validated mean square errors. */
ORFF_API orff_status orff_model_tune(orff_model **model, size_t count, const orff_settings *candidates,
                                     size_t d, size_t p, size_t n, const double *X, const double *Y,
                                     const double *weights, double *scores, size_t *best);

/* The same, with the paths: paths[i], unless NULL, receives the path of candidate i, its lambda_count
 * points, or one if lambda is given. cv_mse is in the outputs' units; the other numbers are in units of
 * the outputs' spread for candidates that scale outputs. Undefined if the call fails. */
ORFF_API orff_status orff_model_tune_paths(orff_model **model, size_t count, const orff_settings *candidates,
                                           size_t d, size_t p, size_t n, const double *X, const double *Y,
                                           const double *weights, double *scores, size_t *best,
                                           orff_path_point **paths);

/* The same for measurements that are not complete rows of equal quality. Every candidate is fitted again
 * without each of the first candidate's folds, which are blocks, groups or random rows as its settings
 * say. A score is the mean over the outputs (with directions: over the numbers) of squared errors in the
 * folds, weighted by the rows, after the offsets of their groups (offset_groups) are subtracted. The path
 * of a candidate is its first point alone, with the geometric mean of the lambdas found; its other lambdas
 * are NAN. Complete rows of equal quality are passed to orff_model_tune_paths. */
ORFF_API orff_status orff_model_tune_observations(orff_model **model, size_t count,
                                                  const orff_settings *candidates,
                                                  const orff_observations *observations, double *scores,
                                                  size_t *best, orff_path_point **paths);

#define ORFF_INTERVALS 3 /* intervals of error bars: 50, 80 and 95 % (orff_scores_level) */

typedef struct orff_model_info {
    size_t inputs, outputs; /* d, and p as the user sees it (1 for classes) */
    size_t classes;         /* 0: regression */
    /* Numbers per point from orff_model_predict: outputs, or the length of a class's code. */
    size_t code_length;
    const double *codes;            /* classes x code_length; NULL: regression */
    orff_engine engine;             /* the one that learned the model, never auto */
    const char *engine_reason;      /* why auto chose it, in words; "" if the user did */
    size_t frequencies, parameters; /* exact: 0 and N p */
    size_t parts;
    orff_scheme scheme;
    uint64_t seed;
    uint64_t rows;
    double lambda;
    double train_mse, cv_mse; /* in the outputs' units; cv_mse is NAN when not cross-validated; of an exact
                                 model it is the leave-one-out error */
    /* NAN when not known. The evidence is that of the variances and the noise of the error bars if it chose lambda, otherwise
     * that of the kernel as it is with noise variance N lambda. */
    double dof, log_evidence;
    bool single, has_posterior;
    size_t kept_samples;            /* number of posterior samples kept; 0: any number can be drawn */
    bool on_plane;                  /* learned from degrees (settings.geo) on ... */
    orff_plane plane;               /* ... this plane */
    const char *kernel;             /* in words: "div-free (gaussian, sigma 0.5) + decomposable (...)" */
    const double *output_train_mse; /* p values */
    const double *noise;            /* p values: standard deviations, in the outputs' units; NAN if unknown */
    const double *output_cv_mse;    /* p values, cross-validated; NULL if not, and for classes */
    const double
        *shares; /* parts + 1: each part's share of the variance, noise's last; NULL unless learned */
    orff_solve_info solve;
    unsigned warnings;
    const char *warning;
    double
        kernel_error; /* lattice: its largest difference from the exact kernel, relative to K(0); else NAN */
    /* Errors on rows whose block or group was held out: what to expect where no rows are near. For
     * features they come from the folds, without coverage; otherwise from some blocks, each predicted from
     * the rows around it with the kernel, noise and lambda of the model. */
    orff_folds folds;    /* what was held out; AUTO: nothing, and the following is unknown */
    double held_out_mse; /* NAN if unknown, as the others */
    double held_out_coverage[ORFF_INTERVALS]; /* share of held-out rows inside their intervals */
    size_t held_out_rows, held_out_blocks;    /* numbers tested; 0: unknown, or all */
    const double *output_held_out_mse;        /* p values; NULL if unknown, and for classes */
    orff_trend trend;
    size_t trend_terms;         /* see orff_model_trend; 0: none */
    const double *trend_centre; /* d values, subtracted from the inputs in the terms; NULL: no terms */
    double error_share;         /* share of the given errors in the noise variance; NAN: none given */
    size_t instruments;         /* with noises of their own; 0: none */
    /* instruments: the noise of each over `noise`, in the order of their numbers. */
    const double *instrument_noise;
    size_t offsets;              /* number of groups with offsets, see orff_model_offset; 0: none */
    double offset_ratio;         /* their standard deviation over that of the noise */
    size_t hidden_layers;        /* of a stack; else 0 */
    const size_t *hidden_widths; /* hidden_layers values; NULL: none */
    size_t places;     /* number of places of rows that the model keeps, see orff_model_distance; 0: none */
    double resolution; /* largest excess of a distance: the diagonal of a cell; 0: every place is kept */
    /* > 0: held-out rows chose the kernel; error of the kernel of highest evidence over that of this one. */
    double left_out;
} orff_model_info;

/* Pointers inside live as long as the model. */
ORFF_API orff_model_info orff_model_describe(const orff_model *model);

/* Part i of the kernel as it was fitted: rule, base, shape, sigma, weight, mix, in the user's units.
 * Pointers inside (sigmas, space) live as long as the model; A and B are NULL. */
ORFF_API orff_status orff_model_part(const orff_model *model, size_t i, orff_part *part);

/* The prior of part i of f: the covariance of its outputs at a point before any row is seen, v K_part(x,
 * x), in the outputs' units (p x p; on a plane along its axes). For a decomposable part this is its output
 * matrix A, given or learned, times v, which follows from the noise. ORFF_ERROR_UNSUPPORTED for classes,
 * and if the noise or the part's exact form is unknown. */
ORFF_API orff_status orff_model_output_matrix(const orff_model *model, size_t i, double *A);

/* A term of the trend: the product of up to two inputs, each minus its centre, or 1, and its coefficient
 * in every output. Errors are standard deviations, computed from the noise. On a plane inputs are in km,
 * and outputs point along its axes. */
typedef struct orff_trend_term {
    size_t factors;   /* number of inputs multiplied, 0 to 2 ... */
    size_t inputs[2]; /* ... these; twice the same for a square */
    const double
        *coefficients;    /* p, in units of the outputs over those of the inputs; live as long as the model */
    const double *errors; /* p; NAN if the noise is unknown */
} orff_trend_term;
ORFF_API orff_status orff_model_trend(const orff_model *model, size_t i, orff_trend_term *term);

/* The offset of a group of rows (settings.offset_groups), which is added to f in every output. */
typedef struct orff_offset {
    uint64_t group;       /* as given */
    const double *values; /* p; live as long as the model */
    const double *errors; /* p: standard deviations; NAN if the noise is unknown */
} orff_offset;
ORFF_API orff_status orff_model_offset(const orff_model *model, size_t i, orff_offset *offset);

/* The same in single precision. */
ORFF_API orff_status orff_model_predict_single(const orff_model *model, size_t n, const float *X, float *F);

/* alpha (N x p, in the outputs' units) of an exact model, and |f|^2 in the space of its kernel, where
 * scaled inputs and outputs are in units of their spread. Models with features have neither:
 * ORFF_ERROR_UNSUPPORTED. */
ORFF_API orff_status orff_model_alpha(const orff_model *model, double *alpha);
ORFF_API orff_status orff_model_norm2(const orff_model *model, double *norm2);

/* Predictions block by block: read gets Y and weights as NULL, write gets the rows (rows x d) and their
 * predictions (rows x p) and returns 0, or another value to stop with ORFF_ERROR_CALLBACK. */
typedef int (*orff_write_fn)(void *self, size_t rows, const double *X, const double *F);
ORFF_API orff_status orff_model_predict_stream(const orff_model *model, const orff_reader *reader,
                                               orff_write_fn write, void *self);

/* labels (n): the class whose code is nearest to the prediction. */
ORFF_API orff_status orff_model_classify(const orff_model *model, size_t n, const double *X, size_t *labels);

/* The posterior covariance of f(x) (n x p x p), noise not included; never negative. noise: see
 * orff_model_info. */
ORFF_API orff_status orff_model_covariance(const orff_model *model, size_t n, const double *X,
                                           double *covariance);

/* S = standard deviations of f(x) (n x p), or with_noise those of a new measurement. */
ORFF_API orff_status orff_model_std(const orff_model *model, size_t n, const double *X, bool with_noise,
                                    double *S);

/* Where to trust a model. It keeps the places of its rows, all of up to 16000, otherwise one for each cell
 * that contains some (orff_model_info.resolution), and computes how far a point is from the nearest of
 * them: in the units of the inputs of the field's space, or of all inputs if there is none; in km on a
 * plane; covariates do not count. ORFF_ERROR_UNSUPPORTED: a model from moments, or with more than 6 such
 * inputs, keeps none. */
ORFF_API orff_status orff_model_distance(const orff_model *model, size_t n, const double *X,
                                         double *distance); /* n */

/* The prior standard deviations of f(x) (p), which orff_model_std approaches far from all rows. And the
 * posterior standard deviation relative to them (n; root mean square over outputs): from 0, where the rows
 * determine f, to 1, where they say nothing. */
ORFF_API orff_status orff_model_prior_std(const orff_model *model, double *S);
ORFF_API orff_status orff_model_relative_std(const orff_model *model, size_t n, const double *X,
                                             double *relative);

/* Points beyond a limit are masked. The default, INFINITY, means no limit. */
typedef struct orff_mask {
    double distance; /* from the nearest row */
    double std;      /* relative to the prior's */
} orff_mask;
ORFF_API orff_mask orff_mask_default(void);
ORFF_API orff_status orff_model_mask(const orff_model *model, const orff_mask *mask, size_t n,
                                     const double *X, bool *masked); /* n */

/* How good predictions are: scores of F, and of its standard deviations S, against measurements. Rows may
 * be added in any number of calls. An interval of level c contains y with probability c if the predictive
 * distribution is N(F, S^2). */
typedef struct orff_score {
    uint64_t n;         /* measured values */
    double mse, rmse;   /* of f - y */
    double bias;        /* the mean of f - y */
    double r2;          /* 1 - mse / variance of y; NAN if y does not vary */
    double correlation; /* of f and y; NAN if one of them does not vary */
    /* If every row had a standard deviation, otherwise NAN: */
    double coverage[ORFF_INTERVALS]; /* share of y inside the intervals */
    /* Continuous ranked probability score, in the units of y: a mean absolute error that also penalises
     * intervals that are too wide or too narrow; smaller is better. */
    double crps;
    double log_score; /* mean of -log density of y; smaller is better */
} orff_score;

typedef struct orff_scores orff_scores;

ORFF_API double orff_scores_level(size_t i); /* .5, .8, .95 */
ORFF_API orff_status orff_scores_create(orff_scores **scores, size_t p);
ORFF_API void orff_scores_free(orff_scores *scores);

/* F and Y are n x p. S: standard deviations of a new measurement (n x p), or NULL. NaN in Y: not measured,
 * skipped. */
ORFF_API orff_status orff_scores_add(orff_scores *scores, size_t n, const double *F, const double *S,
                                     const double *Y);

/* The same with a model's predictions at X, noise included; without standard deviations if it has no
 * posterior. */
ORFF_API orff_status orff_scores_add_model(orff_scores *scores, const orff_model *model, size_t n,
                                           const double *X, const double *Y);

/* Scores of one output (0-based), and over all numbers, with y and f about the mean of their own output. */
ORFF_API orff_score orff_scores_output(const orff_scores *scores, size_t output);
ORFF_API orff_score orff_scores_all(const orff_scores *scores);

/* Scores of outputs that are the 2 or 3 components of a vector, over rows with all components measured.
 * Directions count where |y| is above calm: by default 0 in orff_scores_add, and in orff_scores_add_model
 * the model's noise, over all components. */
typedef struct orff_vector_score {
    uint64_t n;                    /* rows */
    double speed_rmse, speed_bias; /* of |f| - |y| */
    uint64_t directions;           /* rows above calm */
    double direction_error;        /* the mean angle between f and y, in degrees from 0 to 180 */
} orff_vector_score;
ORFF_API orff_status orff_scores_set_calm(orff_scores *scores, double speed);
ORFF_API orff_vector_score orff_scores_vector(const orff_scores *scores);

/* Whether the outputs are components of a vector: there are 2 or 3 of them, and the model is on a plane,
 * or has a physical part, or its notes name them so: u.., v.., w.. with the same ending (u10, v10), ..x,
 * ..y, ..z with the same beginning, or standard names eastward_, northward_. */
ORFF_API bool orff_model_is_vector(const orff_model *model);

/* Derived fields, analytically from the coefficients, in the user's units. Those that need a field's space
 * use the inputs of the physical parts, or all inputs if d = p. Exact models: ORFF_ERROR_UNSUPPORTED if
 * the kernel is not smooth enough (decomposable on Laplace or Matern nu <= 1/2, physical rules on Matern
 * nu <= 3/2) or is a callback. */
ORFF_API orff_status orff_model_jacobian(const orff_model *model, size_t n, const double *X,
                                         double *J); /* n x p x d */
ORFF_API orff_status orff_model_divergence(const orff_model *model, size_t n, const double *X,
                                           double *divergence); /* n */
/* Curl: n values for p = 2 (the vorticity), n x 3 for p = 3. */
ORFF_API orff_status orff_model_curl(const orff_model *model, size_t n, const double *X, double *curl);
/* The scalar potential (n values) whose gradient is the curl-free component of f, and the stream function
 * (p = 2: n values, f = (-d2, d1) psi) or vector potential (p = 3: n x 3) of its divergence-free
 * component; constants are left out. Of an exact model only physical parts have them. */
ORFF_API orff_status orff_model_potential(const orff_model *model, size_t n, const double *X,
                                          double *potential);
ORFF_API orff_status orff_model_stream_function(const orff_model *model, size_t n, const double *X,
                                                double *stream);

/* The same by number: orff_model_field_size numbers per point (0: no such field for these inputs and
 * outputs; the message of a failing call says why). */
typedef enum orff_field {
    ORFF_FIELD_VALUES, /* f itself: p */
    ORFF_FIELD_JACOBIAN,
    ORFF_FIELD_DIVERGENCE,
    ORFF_FIELD_CURL,
    ORFF_FIELD_POTENTIAL,
    ORFF_FIELD_STREAM,
    ORFF_FIELD_COUNT
} orff_field;

ORFF_API size_t orff_model_field_size(const orff_model *model, orff_field field);
ORFF_API orff_status orff_model_field(const orff_model *model, orff_field field, size_t n, const double *X,
                                      double *out); /* n x size */

/* Standard deviations of a field (n x size), noise not included, in closed form: of values if the model
 * has error bars; of derived fields if it keeps a factor for all its coefficients (features, lattices of
 * few modes, and the exact kernel without periodic inputs), see orff_model_has_field_std. Otherwise
 * ORFF_ERROR_UNSUPPORTED: use orff_samples_std. */
ORFF_API bool orff_model_has_field_std(const orff_model *model, orff_field field);
ORFF_API orff_status orff_model_field_std(const orff_model *model, orff_field field, size_t n,
                                          const double *X, double *S);

/* Posterior samples: whole functions, drawn from their distribution given the rows. Sample number i
 * (0-based) depends only on the model, the seed and i, so that fields can be computed block by block.
 * ORFF_ERROR_UNSUPPORTED if the model keeps no posterior, or fewer samples than `count`. The model must
 * outlive them. Noise is not included. Lattice models fail for points several length scales beyond the
 * range of the rows: ORFF_ERROR_UNSUPPORTED. */
typedef struct orff_samples orff_samples;

ORFF_API orff_status orff_samples_draw(orff_samples **samples, const orff_model *model, size_t count,
                                       uint64_t seed);
ORFF_API size_t orff_samples_count(const orff_samples *samples);

/* A field of every sample: count x n x size. */
ORFF_API orff_status orff_samples_field(const orff_samples *samples, orff_field field, size_t n,
                                        const double *X, double *out);

/* Standard deviations of a field (n x size) from the samples: the root mean square of their distance from
 * the model's own field. Their statistical error is about 1/sqrt(2 count) of their size. */
ORFF_API orff_status orff_samples_std(const orff_samples *samples, orff_field field, size_t n,
                                      const double *X, double *S);
ORFF_API void orff_samples_free(orff_samples *samples);

/* All in one call: values of `count` samples at n points (count x n x p). */
ORFF_API orff_status orff_model_sample(const orff_model *model, size_t count, uint64_t seed, size_t n,
                                       const double *X, double *out);

/* Trajectories: particles carried by the field, dx/dt = rate f(x), by the embedded Runge-Kutta pair of
 * Dormand and Prince with adaptive steps. Samples show how certain a path is. If the model is on a plane,
 * particles move on the sphere, with f eastward and northward, in km; otherwise along the inputs of the
 * field's space. */
typedef struct orff_drift {
    double rate;         /* distance per unit of time if f is 1: in the inputs' units, km on a plane */
    size_t space[3];     /* the inputs that move, in the order of the outputs */
    bool has_clock;      /* one more input is time and advances ... */
    size_t clock;        /* ... this one ... */
    double pace;         /* ... by this much per unit of time; further inputs stay as they are */
    double step;         /* longest step, in units of time; 0: limited by the tolerance only */
    double tolerance;    /* of the error per step, in length scales of the kernel */
    orff_mask mask;      /* a particle ends at the first output time at which it is masked */
    const char *assumed; /* assumptions about units, in words; "" if none were needed; a constant string */
} orff_drift;

/* Defaults from the model's notes. The inputs that move are those of the plane or of the physical parts;
 * otherwise all, if they are as many as the outputs; otherwise the first that are neither covariates nor
 * time. The clock is a further input that has units of time or such a name, or the only further input if
 * it has no name. With `hours` the unit of time is an hour, for which the units must be known: f in m/s,
 * cm/s, km/h or the like, inputs in degrees, km or m (otherwise ORFF_ERROR_UNSUPPORTED, but on a plane f
 * is assumed to be in m/s). Without, it is the unit of the inputs over that of f. Tolerance 1e-6, no mask. */
ORFF_API orff_status orff_model_drift_default(const orff_model *model, bool hours, orff_drift *drift);

/* Where n particles that start at X (n x d) are at each of `count` times, which increase from 0 or later,
 * or decrease from 0 or earlier. tracks is count x n x d, or samples x count x n x d with samples, each of
 * which carries the same particles. NaN after a particle has ended: masked, or where the model has no
 * value. Progress counts particles. */
ORFF_API orff_status orff_model_drift(const orff_model *model, const orff_samples *samples,
                                      const orff_drift *drift, size_t n, const double *X, size_t count,
                                      const double *times, double *tracks);

/* For `members` sets of n points (members x n x d), such as tracks: their mean (n x d), the covariance of
 * the inputs that move (n x p x p; on a plane in km, eastward and northward) and how many have not ended
 * (n). Any of the three may be NULL. NaN if none are left, for covariances if fewer than two. */
ORFF_API orff_status orff_drift_spread(const orff_model *model, const orff_drift *drift, size_t members,
                                       size_t n, const double *tracks, double *mean, double *covariance,
                                       size_t *left);

/* Vector autoregression: several series, measured at equal steps of time, learned from their own past,
 *
 *     y_t = f(y_{t-l1}, y_{t-l2}, ..) + noise,      f: R^(p n_lags) -> R^p
 *
 * The inputs of the model are past values, p for each lag in the order of the lags. Rows that need a
 * missing value are left out. If the settings have no groups, stretches of time are held out. A file keeps
 * the lags, the end of the series and the covariance of the one-step errors. */
typedef struct orff_series {
    size_t n, p;
    const double *values; /* n x p, NAN where one is missing */
    size_t n_lags;
    const size_t *lags; /* whole steps, at least 1, increasing */
    /* f is added to y_{t-1}: far from all data the series then stays where it is, instead of at its mean. */
    bool changes;
} orff_series;

ORFF_API orff_status orff_model_fit_series(orff_model **model, const orff_settings *settings,
                                           const orff_series *series);

/* The number of rows that a series gives, and the rows: X is rows x (p n_lags), Y rows x p, time (rows)
 * the position of Y in the series. Each may be NULL. */
ORFF_API orff_status orff_series_rows(const orff_series *series, size_t *rows, double *X, double *Y,
                                      size_t *time);

typedef struct orff_series_info {
    size_t n_lags; /* 0: not a model of a series */
    const size_t *lags;
    bool changes;
    size_t depth;        /* the longest lag */
    const double *last;  /* depth x p: the end of the series */
    const double *noise; /* p x p: the covariance of the one-step errors */
} orff_series_info;

/* Pointers inside live as long as the model. */
ORFF_API orff_series_info orff_model_series(const orff_model *model);

/* What follows `history` (n x p, its last row is the present; NULL: the end of the series that was
 * learned). paths (samples x steps x p) are equally likely futures: each follows a posterior sample of f
 * (without a posterior, f itself) and has its own noise at every step, which enters the next. mean and S
 * (steps x p) are computed from them. With samples = 0 the mean is what f gives when fed with its own
 * values, and there is no S. Each of the three may be NULL. Progress counts steps. */
ORFF_API orff_status orff_model_forecast(const orff_model *model, size_t n, const double *history,
                                         size_t steps, size_t samples, uint64_t seed, double *mean, double *S,
                                         double *paths);

/* Which series influences which (Granger): strength (p x p), at (k, j), is the root mean square over time
 * of the effect of a change of series j on the next value of series k, over all lags, in units of their
 * standard deviations. probability (p x p, may be NULL): how likely it is that the past of j does not help
 * to predict k. Stretches of time are predicted from the others, with and without that past, and a block
 * bootstrap of `draws` draws tests the gain in squared errors; at least 1/(draws + 1). Uses the last 1000
 * rows. For models without a trend. */
ORFF_API orff_status orff_series_links(const orff_model *model, const orff_series *series, size_t draws,
                                       uint64_t seed, double *strength, double *probability);

/* A model as a sum, to be evaluated elsewhere: in a browser, on a small machine. It is in the user's
 * units; for a model on a plane in the plane's km, with vectors along the plane's axes.
 *
 *     f(x) = mean + trend(x) + sum over terms,      a term being waves, centres, or nearest rows:
 *
 *     sum_j a_j cos<w_j, x - origin> + b_j sin<w_j, x - origin>
 *
 *     sum_m sum_i K_m(x - z_i) c_mi,     K_m = k0 I for separable parts, else along C + across (tr C I - C),
 *                                        C = -grad grad^T k0 over the field's space; k0 as orff_model_part has it
 *
 *     sum_j turn_j sum_i B_ji y_ij,      B_j = k(x, z) (k(z, z) + diag(noise_j / weights))^-1 with the `nearest` of the centres, all around x:
 *                                        each orthant of x has nearest / 2^(d+1) of them, at most 16, or all it has;
 *                                        |x - z| in length scales of the first part; k = sum_m amplitude_m k0
 *
 * The sum does not include the trend: orff_model_trend has its terms, and most models have none. */
typedef struct orff_term {
    size_t waves;         /* 0: the term consists of centres */
    const double *omega;  /* waves x d */
    const double *a, *b;  /* waves x p */
    const double *origin; /* d */
    /* d: for waves of a lattice, w_i = k_i steps_i with integers k; otherwise NULL, as the next two. */
    const double *steps;
    const size_t *most;   /* d: |k_i| <= most_i, the last k_i >= 0; all of these, row-major */
    const double *inside; /* d: the term is 0 where |x_i - origin_i| > inside_i for some i */
    size_t centres;
    const double *z;              /* centres x d */
    const double *c;              /* parts x centres x p */
    const double *along, *across; /* parts: both 0 for separable parts */
    size_t nearest; /* 0: all centres are summed up; otherwise, in place of c, along and across, there are: */
    size_t axes;    /* number of systems, one for each axis of the outputs */
    const double *y;         /* centres x axes */
    const double *turn;      /* p x axes */
    const double *noise;     /* axes */
    const double *weights;   /* centres, or NULL: all 1 */
    const double *amplitude; /* parts */
} orff_term;

typedef struct orff_sum orff_sum;

/* ORFF_ERROR_UNSUPPORTED if f is no such sum: models with callbacks, delays, wavelengths or periods that
 * are exact or whose values come from the nearest rows, and physical kernels with such values. */
ORFF_API orff_status orff_model_sum(const orff_model *model, orff_sum **sum);

/* The difference of sample i (0-based) from the model: its mean is 0. ORFF_ERROR_UNSUPPORTED for a model
 * with a trend. */
ORFF_API orff_status orff_samples_sum(const orff_samples *samples, size_t i, orff_sum **sum);
ORFF_API const double *orff_sum_mean(const orff_sum *sum); /* p */
ORFF_API size_t orff_sum_terms(const orff_sum *sum);
ORFF_API orff_term orff_sum_term(const orff_sum *sum, size_t i); /* pointers inside live as long as the sum */
ORFF_API void orff_sum_free(orff_sum *sum);

/* The power of the learned field against wavenumber, in radians per unit of the inputs (per km on a
 * plane): of the field over a region under Hann's window, summed over outputs, and as expected by its
 * kernel before any row is seen. */
#define ORFF_POWER_BINS 200

typedef struct orff_power {
    size_t bins;
    /* Bins + 1 wavenumbers, increasing; bin i is from edges[i] to edges[i + 1]. */
    double edges[ORFF_POWER_BINS + 1];
    double learned[ORFF_POWER_BINS]; /* power in each bin */
    double prior[ORFF_POWER_BINS];   /* the same, as expected by the kernel */
    bool expected;                   /* whether prior is known; if not, orff_error_message() says why */
    double mean_square;              /* of the field, in all bins together */
} orff_power;

/* The region is low to high (d each). Wavenumbers are along `dim` inputs, 1 to 3, given by axes (0-based);
 * the others are held at the middle. ORFF_ERROR_UNSUPPORTED for classes, and if the model is not a sum of
 * waves: see orff_model_sum. */
ORFF_API orff_status orff_model_power(const orff_model *model, const double *low, const double *high,
                                      size_t dim, const size_t *axes, orff_power *power);

/* A text of the caller, in UTF-8, that is saved with the model; "" at first. */
ORFF_API orff_status orff_model_set_notes(orff_model *model, const char *notes);
ORFF_API const char *orff_model_notes(const orff_model *model);

/* Notes that the program `orff`, the Python package and others understand: names, units and ranges of columns,
 * covariates, labels of classes, the plane, as JSON (docs/files.md). Made for so many columns; for classes there is one
 * output. What has not been set is NULL, "" or false. Texts that are not UTF-8 are kept as orff_text_show shows them. */
typedef struct orff_notes orff_notes;
typedef enum orff_side { ORFF_SIDE_INPUT, ORFF_SIDE_OUTPUT } orff_side;

ORFF_API orff_status orff_notes_create(orff_notes **notes, size_t inputs, size_t outputs);
ORFF_API void orff_notes_free(orff_notes *notes);

/* From the text of a model or of moments. A text that is not a JSON object belongs to another program, and
 * gives empty notes. ORFF_ERROR_FORMAT names the first member that is not what it should be. */
ORFF_API orff_status orff_notes_parse(orff_notes **notes, const char *text, size_t inputs, size_t outputs,
                                      size_t classes);

/* The text for orff_model_set_notes and orff_moments_set_notes, valid until the next call or until the
 * notes are freed. */
ORFF_API orff_status orff_notes_text(orff_notes *notes, const char **text);

/* Column i (0-based). `named`: whether the table had names at all. */
ORFF_API orff_status orff_notes_set_named(orff_notes *notes, bool named);
ORFF_API orff_status orff_notes_set_name(orff_notes *notes, orff_side side, size_t i, const char *name);
ORFF_API orff_status orff_notes_set_units(orff_notes *notes, orff_side side, size_t i, const char *units);
ORFF_API orff_status orff_notes_set_standard_name(orff_notes *notes, orff_side side, size_t i,
                                                  const char *name);
ORFF_API orff_status orff_notes_set_range(orff_notes *notes, size_t input, double low, double high);
ORFF_API bool orff_notes_named(const orff_notes *notes);
ORFF_API const char *orff_notes_name(const orff_notes *notes, orff_side side, size_t i);
ORFF_API const char *orff_notes_units(const orff_notes *notes, orff_side side, size_t i);
ORFF_API const char *orff_notes_standard_name(const orff_notes *notes, orff_side side, size_t i);
ORFF_API bool orff_notes_range(const orff_notes *notes, size_t input, double *low, double *high);

/* Covariates: a flag for each input. Labels: one for each class, all different. */
ORFF_API orff_status orff_notes_set_covariates(orff_notes *notes, const bool *covariate);
ORFF_API bool orff_notes_is_covariate(const orff_notes *notes, size_t input);
ORFF_API orff_status orff_notes_set_labels(orff_notes *notes, size_t classes, const char *const *labels);
ORFF_API size_t orff_notes_labels(const orff_notes *notes); /* how many; 0 if unknown */
ORFF_API const char *orff_notes_label(const orff_notes *notes, size_t i);
/* Names of groups of rows, in the order of orff_model_offset. */
ORFF_API orff_status orff_notes_set_groups(orff_notes *notes, size_t count, const char *const *groups);
ORFF_API const char *orff_notes_group(const orff_notes *notes, size_t i); /* NULL: unknown */

/* The plane, for readers of the notes; a model has its own. */
ORFF_API orff_status orff_notes_set_plane(orff_notes *notes, const orff_plane *plane);
ORFF_API bool orff_notes_plane(const orff_notes *notes, orff_plane *plane);

/* What moments were made for, as in the program's options; key: "kernel", "base" or "sigma". */
ORFF_API orff_status orff_notes_set_kernel(orff_notes *notes, const char *kernel, const char *base,
                                           const char *sigma);
ORFF_API const char *orff_notes_kernel(const orff_notes *notes, const char *key);

/* A member for another program: any JSON value under a key. */
ORFF_API orff_status orff_notes_set_member(orff_notes *notes, const char *key, const char *json);

/* The units of length that the inputs of the field's space share ("" if they do not), and the units of
 * fields derived from the first output: its units per length, or times a length if integrated
 * (potentials). False if they are unknown, or `room` is too small. */
ORFF_API const char *orff_notes_length_units(const orff_notes *notes);
ORFF_API bool orff_notes_derived_units(const orff_notes *notes, bool integrated, char *units, size_t room);

/* ---------------------------------------------------------------- 13. files and texts */

/* A file that is replaced as a whole. It grows under a temporary name in its own directory and gets its
 * name in orff_file_commit: a reader, even after a crash, finds the old file or the new one. A symbolic
 * link is followed, even a dangling one. The mode of the replaced file is kept. Fails (ORFF_ERROR_IO) for
 * an existing path that is not a regular file (a directory, a device, a pipe) or is read-only. Models and
 * moments are written this way. */
typedef struct orff_file orff_file;

ORFF_API orff_status orff_file_create(orff_file **file, const char *path);
ORFF_API orff_status orff_file_write(orff_file *file, const void *data, size_t bytes);

/* For writing by other means: an open descriptor, and the temporary name. Valid until commit. */
ORFF_API int orff_file_descriptor(const orff_file *file);
ORFF_API const char *orff_file_temporary(const orff_file *file);

/* Syncs and renames; the file must still be freed. On failure the old file is as before. */
ORFF_API orff_status orff_file_commit(orff_file *file);

/* Removes the temporary file unless it was committed. */
ORFF_API void orff_file_free(orff_file *file);

/* Whether orff_file_create would accept this path, and its directory exists and is writable: to check
 * before long work. */
ORFF_API orff_status orff_file_check(const char *path);

/* Removes the temporary files that this process is writing now. Safe in a signal handler that ends the
 * process. */
ORFF_API void orff_file_remove_temporaries(void);

/* Numbers as text, the same in every locale. The number [+-]digits[.digits][e[+-]digits] at the start of
 * `text`, rounded to the nearest double (infinity if it is too large for one). Returns where it ends, or
 * NULL if there is none. The text must contain, somewhere, a character that no number has: a newline or a
 * zero byte. */
ORFF_API const char *orff_number_scan(const char *text, double *value);

#define ORFF_NUMBER_ROOM 32

/* Writes the value and a zero byte, returns the length. With `shortest` the fewest of 15, 16 or 17
 * significant digits that read back to the same value, otherwise 17. */
ORFF_API size_t orff_number_print(char text[ORFF_NUMBER_ROOM], double value, bool shortest);

/* The most similar word in a list (ending with NULL), ignoring case, for "did you mean"; NULL if none is
 * similar. */
ORFF_API const char *orff_text_nearest(const char *word, const char *const *words);

/* Text of unknown origin, made safe for a terminal or a log: control characters, marks that change the
 * direction of text, and what is not UTF-8 are shown as \xNN. Text that does not fit ends in three dots;
 * returns whether all of it fits. shown has room for `room` bytes including the zero at the end; 4
 * strlen(text) + 1 suffice. */
ORFF_API bool orff_text_show(char *shown, size_t room, const char *text);

/* ---------------------------------------------------------------- 14. stacks
 *
 * f = f_L o .. o f_1, a function of functions, all of them of vectors:
 *     f_l(h) = W_l h + Phi_l(h)^T theta_l            the hidden layers, l < L
 *     f_L(h) = intercept + Phi_L(h)^T theta_L        the last one
 *
 * A hidden layer starts as the identity (theta = 0; W the identity, padded with zeros if the layer has
 * more outputs than inputs, or a random projection if it has fewer), so that a stack starts as one layer
 * of features. It learns to bend the inputs until a plain kernel suits them. Models of the engine STACK
 * (section 12) are made of these; they have units, files, error bars and everything else of a model. These
 * functions are for those who want the layers themselves. */

typedef struct orff_stack orff_stack;

/* A kernel and a sampling for each layer. Kernel l has as many inputs as kernel l - 1 has outputs. */
ORFF_API orff_status orff_stack_create(orff_stack **stack, size_t n_layers, const orff_kernel *const *kernels,
                                       const orff_sampling *samplings);
ORFF_API void orff_stack_free(orff_stack *stack);

typedef struct orff_stack_info {
    size_t layers, inputs, outputs;
    const size_t *widths; /* layers + 1: inputs, then outputs of each layer; live as long as the stack */
    size_t parameters;    /* W and theta of all layers together */
} orff_stack_info;
ORFF_API orff_stack_info orff_stack_describe(const orff_stack *stack);

/* All parameters as one vector: of each layer in turn W (row-major; the last layer has none), then theta. And the intercept
 * (outputs). Either may be NULL. */
ORFF_API orff_status orff_stack_get(const orff_stack *stack, double *parameters, double *intercept);
ORFF_API orff_status orff_stack_set(orff_stack *stack, const double *parameters, const double *intercept);

/* F (n x outputs) = f(X); H = the output of the first `layers` layers at X; J (n x outputs x inputs) by
 * the chain rule. */
ORFF_API orff_status orff_stack_predict(const orff_stack *stack, size_t n, const double *X, double *F);
ORFF_API orff_status orff_stack_hidden(const orff_stack *stack, size_t layers, size_t n, const double *X,
                                       double *H);
ORFF_API orff_status orff_stack_jacobian(const orff_stack *stack, size_t n, const double *X, double *J);

/* (1/N) sum c_i |f(x_i) - y_i|^2 with N = sum c_i, and its gradient in all parameters (may be NULL). The same to the last bit
 * for any number of threads. */
ORFF_API orff_status orff_stack_loss(const orff_stack *stack, size_t n, const double *X, const double *Y,
                                     const double *weights, double *loss, double *gradient);

typedef struct orff_stack_training {
    /* Largest number of passes over the rows: training ends when predictions of held-out rows have not
     * improved for long. 0: as many as make about 2000 steps, but from 20 to 400. */
    size_t epochs;
    size_t batch;  /* rows in a step */
    double rate;   /* length of a step, relative to the output of a layer; falls to zero over the epochs */
    double lambda; /* penalty of the coefficients of all layers; 0: the one of smallest held-out error */
    size_t folds;  /* one of so many parts of the rows is held out */
    bool center;   /* learn the intercept; otherwise it stays 0 */
    uint64_t seed; /* for the order of the rows, and for those held out */
    /* Rows in the same block of inputs (sides: one for each input) are held out together; NULL: ... */
    const double *blocks;
    const uint64_t *groups; /* ... or those of the same group (n); NULL: each row by itself */
} orff_stack_training;

/* Epochs auto, batches of 256, rate 0.05, lambda auto, 5 folds, center. */
ORFF_API orff_stack_training orff_stack_training_default(void);

typedef struct orff_stack_report {
    size_t epochs,
        best; /* number made; after which held-out rows were predicted best (0: at the start) */
    /* Mean square error on the held-out rows, over the outputs, at the start and at the best. */
    double start, error;
    double lambda;
} orff_stack_report;

/* Learn all layers together: steps of Adam on batches through all layers, in an order that depends on the
 * seed. The last layer is solved in closed form at the start, every few epochs, and at the end on all
 * rows. The stack that predicted held-out rows best is kept, the start included. report may be NULL.
 * Progress counts epochs. */
ORFF_API orff_status orff_stack_train(orff_stack *stack, size_t n, const double *X, const double *Y,
                                      const double *weights, const orff_stack_training *how,
                                      orff_stack_report *report);

/* ---------------------------------------------------------------- 15. bounds
 *
 * How far K~ may be from K, uniformly over the points x, z of a set of diameter l, and how many frequencies
 * that takes:
 *
 *     P{ sup_{x,z} |K~(x,z) - K(x,z)| >= epsilon } <= exp(log_factor - rate D)         (spectral norm)
 *
 * for D independent draws. Every bound here has this form. Those of the paper are kept as printed, beside
 * what its proof gives when its slips are mended (docs/bounds.md). They hold for iid frequencies; they are
 * safe and far too large. What a kernel really needs is measured by orff_bound_measure.
 *
 * Numbers that are not known, or do not exist for the base, are NAN, or INFINITY for moments that diverge.
 */

/* b(delta) = |E[cos^2<w,delta> A(w)^2] - K(delta)^2|: D times the mean-square error of K~(delta), whatever D. */
typedef struct orff_variance {
    double exact;      /* iid draws from mu: decomposable with any base, physical rules with the Gaussian */
    double corrected;  /* the paper's proposition on b_D with the terms that it lost: Gaussian, one sigma */
    double printed;    /* the same as printed; not for helmholtz */
    double importance; /* exact, for draws from |w|^2 mu: physical rules, one sigma on the field's space */
} orff_variance;

/* At one delta (d entries). */
ORFF_API orff_status orff_bound_variance(const orff_part *part, size_t d, size_t p, const double *delta,
                                         orff_variance *b);

/* The largest of each over |delta| <= radius, which may be INFINITY: one sigma, a spherical base (all of
 * decomposable but cauchy-product), no covariates. */
ORFF_API orff_status orff_bound_variance_sup(const orff_part *part, size_t d, size_t p, double radius,
                                             orff_variance *b);

typedef struct orff_bound_question {
    double epsilon;     /* > 0 */
    bool relative;      /* epsilon is in units of |K(0)| */
    double diameter;    /* l > 0 */
    double probability; /* that the error stays below epsilon: in (0,1) */
    size_t features;    /* D at which the bounds are evaluated; 0: that which the best of them needs, or 1000 if none applies */
    /* Constants of the caller's; 0: what is known. All three make the theorem apply to any kernel, on the caller's word. */
    double b;       /* sup of b(delta), for all theorems (terms.b) */
    double m;       /* bounds the psi_1 norm of the centred blocks (terms.m) */
    double sigma_p; /* root of E |w|^2 |A|^2 */
    /* > 0: unknown constants of custom parts are measured on so many frequencies; nothing is proven then. */
    size_t draws;
} orff_bound_question;

/* epsilon 0.1 relative to |K(0)|, l = 1, probability 0.95, D = 1000. */
ORFF_API orff_bound_question orff_bound_question_default(void);

/* The constants of the theorem, in the paper's letters. */
typedef struct orff_bound_terms {
    double K0;                   /* |K(0)| = sup |K(delta)|; |A| for decomposable */
    double E_A2;                 /* |E A^2|: a safe b for every kernel */
    double var_A, var_A_printed; /* |Var A| = |E A^2 - (E A)^2| */
    double psi1;                 /* Orlicz norm of |A(w)| */
    double sigma_p2;             /* E |w|^2 |A|^2 */
    double b, b_printed;         /* sup of b(delta), else E_A2; sup of the printed one, else b */
    double m, m_printed;         /* 2 (psi1 + K0/log 2);  4 (psi1 + K0) */
    double u, u_printed;         /* m log(1 + 2 m^2/b);  2 m log(2^(3/2) (m/b)^2) */
    double C_prime;              /* (d/2)^(-d/(d+2)) + (d/2)^(2/(d+2)) */
    double C, C_printed;         /* C' 2^((6d+2)/(d+2)) p^(2/(d+2));  the same with p */
    double b_importance;         /* draws from |w|^2 mu, physical rules: sup of b(delta), or a bound of it */
    double sigma_p2_importance;  /* Lipschitz constant of those draws */
    double largest_importance;   /* largest |D (block of a frequency) - K| of those draws */
} orff_bound_terms;

#define ORFF_BOUND_LIST(X)                                                                                   \
    X(PRINTED, "printed")                 /* the theorem as printed */                                       \
    X(CORRECTED, "corrected")             /* its slips mended, but for the Lipschitz constant (sigma_p) */   \
    X(RIGOROUS, "rigorous")               /* mended throughout (2 sigma_p) */                                \
    X(BOUNDED, "bounded")                 /* Bernstein for bounded blocks: decomposable */                   \
    X(IMPORTANCE, "importance")           /* the same for physical rules drawn from |w|^2 mu */              \
    X(SCALAR_PRINTED, "scalar-printed")   /* Rahimi and Recht and the corollary, as printed: decomposable */ \
    X(SCALAR, "scalar")                   /* with sigma_p l in the place of d sigma l */                     \
    X(SCALAR_TIGHT, "scalar-tight")       /* the same proof without rounding up its constant */              \
    X(SCALAR_RIGOROUS, "scalar-rigorous") /* and with 2 sigma_p */

typedef enum orff_bound_kind {
#define ORFF_BOUND_ENUM(name, text) ORFF_BOUND_##name,
    ORFF_BOUND_LIST(ORFF_BOUND_ENUM)
#undef ORFF_BOUND_ENUM
        ORFF_BOUND_COUNT
} orff_bound_kind;

ORFF_API const char *orff_bound_name(orff_bound_kind kind);

typedef struct orff_bound {
    bool applies;
    bool proven;        /* a theorem as it stands, not a slip kept for comparison */
    const char *reason; /* why it does not apply, "" if it does; a constant string */
    double log_factor, rate;
    double log_probability; /* at the question's D; above 0 it says nothing */
    double features;        /* fewest D for the question's probability; INFINITY if none is enough */
} orff_bound;

/* log_factor - rate D, and the smallest whole D >= 1 that keeps the error below epsilon with this
 * probability: for curves. */
ORFF_API double orff_bound_log_probability(const orff_bound *bound, double D);
ORFF_API double orff_bound_features(const orff_bound *bound, double probability);

typedef struct orff_bound_report {
    double epsilon;  /* absolute */
    size_t features; /* D at which the bounds are evaluated */
    orff_bound_terms terms;
    bool measured; /* some of the terms are measured: the bounds are only as good as the draws */
    orff_bound bounds[ORFF_BOUND_COUNT];
    orff_bound_kind best; /* fewest features among the proven ones; ORFF_BOUND_COUNT: none applies */
    double rms;           /* sqrt(b/D): root mean square error of K~ where it is worst */
    /* k^2 b/epsilon^2 for k = 2.5 and 4.2, between which the measured errors lie for d = 2 to 4: iid draws, and
     * draws by importance (NAN for decomposable). */
    double rule_of_thumb[2], rule_of_thumb_importance[2];
} orff_bound_report;

/* Everything for one part. Custom and signature rules have no known constants: nothing applies unless the
 * question gives them, or has those of custom rules measured. */
ORFF_API orff_status orff_bound_evaluate(const orff_part *part, size_t d, size_t p,
                                         const orff_bound_question *question, orff_bound_report *report);

/* Everything for a sum, whose groups of parts share the D frequencies as orff_features_create divides them. Bounds are for
 * blocks of unequal size: with the share s of D of each group, b = sum b/s, m = max m/s, sigma_p = sum sigma_p. "importance" is then
 * for fields drawn by importance beside decomposable parts that are not. */
ORFF_API orff_status orff_bound_evaluate_sum(size_t n_parts, const orff_part *parts, size_t d, size_t p,
                                             const orff_bound_question *question, orff_bound_report *report);

typedef struct orff_measure {
    double diameter; /* l of the set that x and z are drawn from ... */
    bool ball;       /* ... a ball; else a cube */
    size_t pairs;    /* of points, x = z among them */
    size_t repeats;  /* draws of the frequencies, with seeds sampling.seed, sampling.seed + 1, .. */
    double quantile; /* in (0,1) */
} orff_measure;

/* A cube of diameter 1, 1500 pairs, 40 repeats, quantile 0.95. */
ORFF_API orff_measure orff_measure_default(void);

typedef struct orff_measured {
    double quantile; /* of the largest error over the pairs */
    double median, largest;
    double mean; /* of the error over pairs and repeats */
    double K0;   /* |K(0)|, to make them relative */
} orff_measured;

/* The error of K~ as it is, for any kernel and any sampling. maxima (repeats, may be NULL) receives the largest
 * error of each draw. Progress counts repeats. Kernels without an exact form are ORFF_ERROR_UNSUPPORTED. */
ORFF_API orff_status orff_bound_measure(const orff_kernel *kernel, const orff_sampling *sampling,
                                        const orff_measure *how, orff_measured *measured, double *maxima);

#ifdef __cplusplus
}
#endif
#endif
