"""The published method in PyTorch, as its authors describe it: for each sampled coordinate a second derivative by
nested reverse mode, the residual squared, and Adam; the derived source in closed form.
usage: peer_torch.py D TERMS STEPS [POINTS]
prints the least and the median time of a step in ms, and the peak memory in MB; 77 without PyTorch."""
import resource
import sys
import time

try:
    import numpy as np
    import torch
except ImportError:
    sys.exit(77)

d, terms, steps = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
B = int(sys.argv[4]) if len(sys.argv) > 4 else 100
terms = min(terms, d)
rng = np.random.default_rng(0)
c = torch.tensor(rng.standard_normal(d - 1), dtype=torch.float32)
layers = []
for a, b in ((d, 128), (128, 128), (128, 128)):
    layers += [torch.nn.Linear(a, b), torch.nn.Tanh()]
net = torch.nn.Sequential(*layers, torch.nn.Linear(128, 1))
optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
schedule = torch.optim.lr_scheduler.LinearLR(optimiser, 1.0, 0.0, 10000)


def source(x):
    p, r = x[:, :-1], x[:, 1:]
    a = p + torch.cos(r) + r * torch.cos(p)
    ap, ar = 1 - r * torch.sin(p), torch.cos(p) - torch.sin(r)
    s, k = c * torch.sin(a), c * torch.cos(a)
    S, q = s.sum(1), 1 - (x * x).sum(1)
    second = (-s * (ap**2 + ar**2) - k * (r * torch.cos(p) + torch.cos(r))).sum(1)
    along = (k * (p * ap + r * ar)).sum(1)
    return q * second - 4 * along - 2 * d * S + torch.sin(q * S)


def residual(x, index):
    x = x.requires_grad_(True)
    u = (1 - (x * x).sum(1)) * net(x)[:, 0]
    slope = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
    total = 0
    for i in index:
        total = total + torch.autograd.grad(slope[:, i].sum(), x, create_graph=True)[0][:, i]
    return d / terms * total + torch.sin(u)


spent = []
for k in range(steps + 2):
    begin = time.perf_counter()
    x = torch.tensor(rng.standard_normal((B, d)), dtype=torch.float32)
    x = x * (torch.tensor(rng.random((B, 1)), dtype=torch.float32) / x.norm(dim=1, keepdim=True))
    g = source(x)
    loss = ((residual(x, rng.choice(d, terms, replace=False)) - g) ** 2).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    schedule.step()
    spent.append(1e3 * (time.perf_counter() - begin))
spent = sorted(spent[2:])
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
print(f"{spent[0]:.3f} {spent[len(spent) // 2]:.3f} {peak}")
