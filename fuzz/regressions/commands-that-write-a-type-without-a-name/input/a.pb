

yIdentity*
T0A"