Version 8.2.0
Id 
Min label:0
Max label:1
bits:31
options: --hash all --noconstant
:0
ns^a:7:1
a:b:9:-1e-05
Constant:11650396:2
