/* lapack.h: the machine's linear algebra library, opened when it is first needed.
 *
 * It is not linked: OpenBLAS starts threads before main and asks for memory in each, and where there is
 * too little of it they ask for ever, so that not even the process ends. Opened here it has one thread,
 * which also makes its last bits the same on every machine; the threads are pderun's own. */
#ifndef PDE_RUNTIME_ENGINE_LAPACK_H
#define PDE_RUNTIME_ENGINE_LAPACK_H

#include "files/status.h"

typedef struct Lapack {
    void (*dsyev)(const char *jobz, const char *uplo, const int *n, double *a, const int *lda,
                  double *w, double *work, const int *lwork, int *info);
    void (*dgemm)(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                  const double *alpha, const double *a, const int *lda, const double *b,
                  const int *ldb, const double *beta, double *c, const int *ldc);
    void (*dsyrk)(const char *uplo, const char *trans, const int *n, const int *k,
                  const double *alpha, const double *a, const int *lda, const double *beta,
                  double *c, const int *ldc);
    void (*dtrsm)(const char *side, const char *uplo, const char *trans, const char *diagonal,
                  const int *m, const int *n, const double *alpha, const double *a, const int *lda,
                  double *b, const int *ldb);
    void (*dpotrf)(const char *uplo, const int *n, double *a, const int *lda, int *info);
    void (*dpotrs)(const char *uplo, const int *n, const int *columns, const double *a,
                   const int *lda, double *b, const int *ldb, int *info);
} Lapack;

/* Opens the library, and makes sure that as many threads can call it at once: it waits for memory
 * without end. To be called after the caller's own memory was taken. */
Status lapack_open(int threads, Error *error);
/* The library's functions; NULL: it could not be opened. */
const Lapack *lapack(void);

#endif
