/* domain_part.h: the parts that the boundary of a domain can have, a column of domain.def. */
#ifndef PDE_RUNTIME_CONTRACT_DOMAIN_PART_H
#define PDE_RUNTIME_CONTRACT_DOMAIN_PART_H

enum {
    PART_ONE = 0,
    PART_FACES = 1, /* of a coordinate: on x_1 = a */
    PART_OUTER = 2, /* on outer */
    PART_INNER = 4  /* on inner, which nowhere meets the outer one */
};

#endif
