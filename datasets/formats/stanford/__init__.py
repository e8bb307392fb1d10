"""Stanford 3D scene graphs, from pickles that are decoded and never run."""
