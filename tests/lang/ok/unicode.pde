# Greek letters and signs are aliases.
dim    d = 10
param  σ = 0.5, λ2 = 2
domain x ∈ ball(d, 1)
time   t ∈ [0, 1]
field  φ(x, t)
equation ∂(φ, t) = σ² · Δ(φ) − λ2 × φ³ + Σ_i x_i²
initial  φ = √(1 + norm(x)²)
boundary phi = 1
