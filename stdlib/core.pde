# core.pde: the differential operators, in the language itself.
# `space` stands for the coordinate vector of the problem's domain, whatever it is called there.

let lap(f)        = sum_i d2(f, space_i)
let bilap(f)      = sum_ij d4(f, space_i, space_i, space_j, space_j)
let grad(f)_i     = d(f, space_i)
let hessian(f)_ij = d(f, space_i, space_j)
let div(F)        = sum_i d(F_i, space_i)
let dot(a, b)     = sum_i a_i * b_i
let norm(a)       = sqrt(sum_i a_i^2)
let trace(A)      = sum_i A_ii
# 0*F_k only says how far k runs.
let curl(F)_k     = delta_{k,1} * (d(F_3, space_2) - d(F_2, space_3))
                  + delta_{k,2} * (d(F_1, space_3) - d(F_3, space_1))
                  + delta_{k,3} * (d(F_2, space_1) - d(F_1, space_2)) + 0*F_k
