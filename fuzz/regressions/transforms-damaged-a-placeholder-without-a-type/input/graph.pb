

xPlaceholder

aIdentityx

bTanha

cTanha

addAddV2bc

dIdentityadd

eIdentityd*
T0
(
oneConst*
dtype0*
valueB

yAddV2eone