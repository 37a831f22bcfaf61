"""Recurrent cells: what a Loop computes step by step, as LSTM, GRU and RNN, which have kernels of their own.

    affine.py    sums of products with constant matrices, however they are split, joined and added
    cells.py     LSTM, GRU and simple cells by the sums and activations of one step, with their weights
    loops.py     which values of a Loop a cell computes, and the cell in front of the Loop

It reads the graph after conversion, whatever made the cell: Keras, the cells of TensorFlow 1, or code of the author. A
Loop that computes anything else keeps that; a cell that differs in any way stays in its Loop. The package imports the
graph in memory alone; the export calls it.
"""

from __future__ import annotations

from .loops import take_cells

__all__ = ["take_cells"]
