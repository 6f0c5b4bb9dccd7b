/* ops.h: selectors of instructions that are not plain operations on registers. */
#ifndef SOFT_OPS_H
#define SOFT_OPS_H

enum {
    ATOM_ADD,
    ATOM_EXCH,
    ATOM_CAS,
    ATOM_MIN,
    ATOM_MAX,
    ATOM_AND,
    ATOM_OR,
    ATOM_XOR,
    ATOM_INC,
    ATOM_DEC
};
enum { BARRIER_SYNC, BARRIER_AND, BARRIER_OR, BARRIER_COUNT };
enum {
    WARP_SYNC,
    WARP_ACTIVE,
    WARP_ALL,
    WARP_ANY,
    WARP_UNI,
    WARP_BALLOT,
    SHUFFLE_UP,
    SHUFFLE_DOWN,
    SHUFFLE_XOR,
    SHUFFLE_INDEX,
    MATCH_ANY,
    MATCH_ALL,
    REDUCE_ADD,
    REDUCE_MIN,
    REDUCE_MAX,
    REDUCE_AND,
    REDUCE_OR,
    REDUCE_XOR
};

#endif
