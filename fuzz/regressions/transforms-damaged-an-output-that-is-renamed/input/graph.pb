
&
cConst*
dtype0*
valueB

loop0/Merge