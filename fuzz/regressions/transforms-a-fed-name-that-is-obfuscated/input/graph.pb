

xPlaceholder
*
ConstConst*
dtype0*
valueB

SumSumxConst
.
	Greater/yConst*
dtype0*
valueB
"
GreaterGreaterSum	Greater/y
(
outer/SwitchSwitchGreaterGreater