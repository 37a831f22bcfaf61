"""Golden answers on the order, loops and conditionals of graphs."""
