"""The recorded behaviour of every command on small models, as text; no other program is asked."""
