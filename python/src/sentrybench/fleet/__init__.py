"""The fleet: verifies more traces than one machine can, on the workers of a Dask cluster.

`python -m sentrybench.fleet verify` is its command line. Each trace is judged by the program
`sentrybench verify` on a worker; this package finds the traces, distributes them in batches, and
collects the results.
"""
