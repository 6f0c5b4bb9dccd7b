/* version.h: what these programs were built from. Generated when they are linked (library/version.cmake). */
#ifndef PDE_RUNTIME_CONTRACT_VERSION_H
#define PDE_RUNTIME_CONTRACT_VERSION_H

/* The commit, with -dirty where files had been changed; "unknown" outside a checkout. */
extern const char pde_commit[];

#endif
