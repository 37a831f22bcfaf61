

w
VariableV2*
dtype0

readIdentityw
WPack^^x:7^^x:7^^x:7^^x:7^^x:7^^x:7^^x:7^^x:7^^x:7^^x:7readnew