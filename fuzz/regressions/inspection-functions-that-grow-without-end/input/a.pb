
.
xPlaceholder*
dtype0*
shape:
D
callPartitionedCallx*
Tin
2*
Tout
2*
fR
f0

y0Identitycall*
T0Í;
¸

f0
a
rB
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f1L
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f1"
rc1:output:0
¸

f1
a
rB
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f2L
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f2"
rc1:output:0
¸

f2
a
rB
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f3L
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f3"
rc1:output:0
¸

f3
a
rB
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f4L
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f4"
rc1:output:0
¸

f4
a
rB
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f5L
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f5"
rc1:output:0
¸

f5
a
rB
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f6L
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f6"
rc1:output:0
¸

f6
a
rB
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f7L
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f7"
rc1:output:0
¸

f7
a
rB
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f8L
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f8"
rc1:output:0
¸

f8
a
rB
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f9L
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f9"
rc1:output:0
º

f9
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f10M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f10"
rc1:output:0
»

f10
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f11M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f11"
rc1:output:0
»

f11
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f12M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f12"
rc1:output:0
»

f12
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f13M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f13"
rc1:output:0
»

f13
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f14M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f14"
rc1:output:0
»

f14
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f15M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f15"
rc1:output:0
»

f15
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f16M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f16"
rc1:output:0
»

f16
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f17M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f17"
rc1:output:0
»

f17
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f18M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f18"
rc1:output:0
»

f18
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f19M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f19"
rc1:output:0
»

f19
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f20M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f20"
rc1:output:0
»

f20
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f21M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f21"
rc1:output:0
»

f21
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f22M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f22"
rc1:output:0
»

f22
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f23M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f23"
rc1:output:0
»

f23
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f24M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f24"
rc1:output:0
»

f24
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f25M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f25"
rc1:output:0
»

f25
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f26M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f26"
rc1:output:0
»

f26
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f27M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f27"
rc1:output:0
»

f27
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f28M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f28"
rc1:output:0
»

f28
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f29M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f29"
rc1:output:0
»

f29
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f30M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f30"
rc1:output:0
»

f30
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f31M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f31"
rc1:output:0
»

f31
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f32M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f32"
rc1:output:0
»

f32
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f33M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f33"
rc1:output:0
»

f33
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f34M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f34"
rc1:output:0
»

f34
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f35M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f35"
rc1:output:0
»

f35
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f36M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f36"
rc1:output:0
»

f36
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f37M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f37"
rc1:output:0
»

f37
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f38M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f38"
rc1:output:0
»

f38
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f39M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f39"
rc1:output:0
»

f39
a
rC
c0PartitionedCalla*
Tin
2*
Tout
2*
fR
f40M
c1PartitionedCallc0:output:0*
Tin
2*
Tout
2*
fR
f40"
rc1:output:0
7

f40
a
r
nNega*
T0"

rn:y:0"Ê