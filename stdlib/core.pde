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
