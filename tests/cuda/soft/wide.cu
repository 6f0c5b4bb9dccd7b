/* wide.cu: what NVRTC may emit for kernels in C: every function of its mathematical library, integers
 * of all widths, memory in all spaces, warps, atomics. Compiled and loaded by test_failures.c for every
 * architecture, so that an instruction the device does not know is met here first. */
#define F1(f) o[i++] = f(x);
extern "C" __global__ void math_float(float *o, float x, float y, float z, int n) {
    int i = threadIdx.x * 100;
    F1(sinf) F1(cosf) F1(tanf) F1(tanhf) F1(sinhf) F1(coshf) F1(expf) F1(exp2f) F1(expm1f) F1(exp10f)
    F1(logf) F1(log2f) F1(log10f) F1(log1pf) F1(sqrtf) F1(rsqrtf) F1(cbrtf) F1(asinf) F1(acosf) F1(atanf)
    F1(asinhf) F1(acoshf) F1(atanhf) F1(erff) F1(erfcf) F1(erfinvf) F1(lgammaf) F1(tgammaf) F1(floorf)
    F1(ceilf) F1(truncf) F1(roundf) F1(rintf) F1(fabsf) F1(j0f) F1(normcdff) F1(normcdfinvf) F1(sinpif)
    F1(cospif) F1(logbf) F1(erfcxf) F1(__sinf) F1(__cosf) F1(__expf) F1(__logf) F1(__frcp_rn)
    F1(__fsqrt_rn) F1(__frsqrt_rn) F1(__saturatef)
    o[i++] = powf(x, y); o[i++] = atan2f(x, y); o[i++] = fmodf(x, y); o[i++] = hypotf(x, y);
    o[i++] = fmaxf(x, y); o[i++] = fminf(x, y); o[i++] = copysignf(x, y); o[i++] = fdimf(x, y);
    o[i++] = fmaf(x, y, z); o[i++] = x / y; o[i++] = remainderf(x, y); o[i++] = ldexpf(x, n);
    o[i++] = isnan(x) ? 1 : isinf(x) ? 2 : signbit(x) ? 3 : 4; o[i++] = __fdividef(x, y);
    float s, c; sincosf(x, &s, &c); o[i++] = s + c;
    int e; o[i++] = frexpf(x, &e) + e; o[i++] = ilogbf(x); o[i++] = lrintf(x); o[i++] = llrintf(x);
    o[i++] = __fadd_rz(x, y) + __fmul_ru(x, y) + __fmaf_rd(x, y, z) + __fdiv_rz(x, y) + __fsub_ru(x, y);
}
extern "C" __global__ void math_double(double *o, double x, double y, double z, int n) {
    int i = threadIdx.x * 100;
    F1(sin) F1(cos) F1(tan) F1(tanh) F1(sinh) F1(cosh) F1(exp) F1(exp2) F1(expm1) F1(exp10) F1(log) F1(log2)
    F1(log10) F1(log1p) F1(sqrt) F1(rsqrt) F1(cbrt) F1(asin) F1(acos) F1(atan) F1(asinh) F1(acosh) F1(atanh)
    F1(erf) F1(erfc) F1(erfinv) F1(lgamma) F1(tgamma) F1(floor) F1(ceil) F1(trunc) F1(round) F1(rint) F1(fabs)
    F1(j0) F1(normcdf) F1(normcdfinv) F1(sinpi) F1(cospi) F1(logb) F1(erfcx)
    o[i++] = pow(x, y); o[i++] = atan2(x, y); o[i++] = fmod(x, y); o[i++] = hypot(x, y); o[i++] = fmax(x, y);
    o[i++] = fmin(x, y); o[i++] = copysign(x, y); o[i++] = fdim(x, y); o[i++] = fma(x, y, z); o[i++] = x / y;
    o[i++] = ldexp(x, n); o[i++] = remainder(x, y); o[i++] = isnan(x) ? 1 : isinf(x) ? 2 : signbit(x) ? 3 : 4;
    double s, c; sincos(x, &s, &c); o[i++] = s + c;
    int e; o[i++] = frexp(x, &e) + e;
    o[i++] = __dadd_rz(x, y) + __dmul_ru(x, y) + __fma_rd(x, y, z) + __drcp_rn(x) + __dsqrt_rn(x) + __ddiv_rn(x, y);
}
typedef unsigned u;
typedef unsigned long long ull;
typedef long long ll;
#define O(e) o[i++] = (ll)(e);
extern "C" __global__ void integers(ll *o, int a, int b, u p, u q, ll c, ll d, ull r, ull s, short h, unsigned char k,
                                    float f, double g) {
    int i = 0;
    O(a + b) O(a * b) O(a / b) O(a % b) O(p / q) O(p % q) O(c / d) O(c % d) O(r / s) O(r % s) O(c * d) O(c << a)
    O(c >> a) O(r >> a) O(a << b) O(a >> b) O(p >> b) O(a & b) O(a | b) O(a ^ b) O(~a) O(!a) O(min(a, b)) O(max(a, b))
    O(min(p, q)) O(max(p, q)) O(min(c, d)) O(max(r, s)) O(abs(a)) O(llabs(c)) O(__mulhi(a, b)) O(__umulhi(p, q))
    O(__mul64hi(c, d)) O(__umul64hi(r, s)) O((ll)a * b) O((ull)p * q + r) O((ll)a * b + c) O(a * b + a) O(c * d + c)
    O(__popc(p)) O(__popcll(r)) O(__clz(a)) O(__clzll(c)) O(__ffs(a)) O(__ffsll(c)) O(__brev(p)) O(__brevll(r))
    O(__byte_perm(p, q, a)) O(__funnelshift_l(p, q, a)) O(__funnelshift_r(p, q, a)) O(__funnelshift_lc(p, q, a))
    O(__funnelshift_rc(p, q, a)) O(__sad(a, b, p)) O(__usad(p, q, p)) O(__hadd(a, b)) O(__mul24(a, b)) O(__umul24(p, q))
    O((p >> 5) & 31) O((p & 0xffff0000) | (q >> 16)) O(h * h) O((short)(h + a)) O(k * k) O((signed char)a) O((short)c)
    O((int)f) O((u)f) O((ll)f) O((ull)f) O((int)g) O((ll)g) O((ull)g) O((u)g) O((float)a) O((float)p) O((float)c)
    O((float)r) O((double)a) O((double)p) O((double)c) O((double)r) O((float)g) O((double)f) O((float)h)
    O((unsigned char)f) O(__float_as_int(f)) O(__double_as_longlong(g)) O(__double2hiint(g)) O(__double2loint(g))
    O(__hiloint2double(a, b)) O(__float2int_rd(f)) O(__float2int_ru(f)) O(__float2ll_rn(f)) O(__double2int_rd(g))
    O(__double2ll_rn(g)) O(__int2float_rz(a)) O(__double2float_rz(g)) O(f < g) O(f != f) O(a < b && p < q)
    O(a < b || c < d) O(h < k) O((p == q) ^ (r > s)) O(r + s < r) O(__dp4a(a, b, a))
}
extern "C" __global__ void spaces(float *o, const float *__restrict__ in, unsigned char *bytes, short *words, float4 *v4,
                                  double2 *d2, int n, int k) {
    __shared__ float fixed[256];
    extern __shared__ double dynamic[];
    int t = threadIdx.x + blockIdx.x * blockDim.x;
    fixed[threadIdx.x] = in[t];
    dynamic[threadIdx.x] = t;
    __syncthreads();
    float local[16];
    for (int j = 0; j < 16; j++) local[j] = in[(t + j * n) % n];
    o[t] = local[k] + fixed[(threadIdx.x + 1) % 256] + (float)dynamic[threadIdx.x ^ 1] + __ldg(in + 5);
    bytes[t] = bytes[t + 1] + 3; words[t] = words[t + n] * 2;
    float4 q = v4[t]; q.x += q.y * q.z; v4[t + 1] = q;
    double2 w = d2[t]; w.x += w.y; d2[t] = w;
    volatile float *v = o; v[3] = v[4];
    if (n == 77) __trap();
    o[57] = clock() + clock64() + warpSize + __activemask();
}
extern "C" __global__ void warps(float *o, int *io, u *uo, double *dd, ull *l, int k) {
    int t = threadIdx.x;
    float x = o[t];
    for (int d = 16; d; d >>= 1) x += __shfl_down_sync(~0u, x, d);
    x += __shfl_xor_sync(~0u, x, 3) + __shfl_up_sync(~0u, x, 2, 8) + __shfl_sync(~0u, x, k);
    double y = __shfl_xor_sync(~0u, dd[t], 1);
    io[t] = __any_sync(~0u, k > t) + __all_sync(~0u, k < t) + __ballot_sync(~0u, k == t) + __match_any_sync(~0u, t);
    __syncwarp();
    atomicAdd(o, x); atomicAdd(dd, y); atomicAdd(io, t); atomicAdd(uo, t); atomicAdd(l, 1ull); atomicSub(io, 3);
    io[5] = atomicCAS(io, 1, 2); l[5] = atomicCAS(l, 1, 2); atomicExch(io, 3); o[5] = atomicExch(o + 2, 1.f);
    atomicMin(io, 3); atomicMax(io, 4); atomicMin(uo, 3); atomicMax(uo, 4); atomicMax(l, 4ull); atomicAnd(io, 3);
    atomicOr(uo, 3); atomicXor(uo, 5); io[9] = atomicInc(uo, 7); io[10] = atomicDec(uo, 7);
    __threadfence(); __threadfence_block(); __threadfence_system(); __nanosleep(5);
    io[7] = __syncthreads_count(k > t) + __syncthreads_or(k > t) + __syncthreads_and(k < t);
#if __CUDA_ARCH__ >= 800
    io[8] = __reduce_add_sync(~0u, t) + __reduce_max_sync(~0u, t);
#endif
    uo[3] = threadIdx.y + blockIdx.y * gridDim.z + blockDim.z;
}
