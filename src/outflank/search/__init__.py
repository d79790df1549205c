"""Searches as people use them: prepare arrays, call a kernel in slices, dress the result."""
