

meanConst*
dtype0
#	AssignSubmean:output:0*
T0