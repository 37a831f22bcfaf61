
,
loop3/loop1/EnterEnterloop3/loop1/zero
 
loop3/EnterEnter
loop3/zero
,

loop3/LessLessloop3/Mergeloop3/limit
3
loop3/SwitchSwitchloop3/Mergeloop3/LoopCond
6
loop3/MergeMergeloop3/Enterloop3/NextIteration
(
loop3/countloop3/Identity	loop3/one
"
loop3/NextIterationloop3/count
#
loop3/loop1/zero^loop3/Identity
&
loop3/LoopCondLoopCond
loop3/Less
.
	loop3/oneConst*
dtype0*
valueB
 
loop3/Identityloop3/Switch:1

loop1/loop2/zero

loop3/loop1/limit
&
loop3/loop1/Mergeloop3/loop1/Enter
/

loop3/zeroConst*
dtype0*
valueB
>
loop3/limitConst^loop3/Merge*
dtype0*
valueB