-1 2 |w dog über:0.04 new:1.31 |n size:0.62
1 |w dog red:0.16 old:-1.14 open shut:1.57 left:1.92 night:-1.83
-1 |w cat:1.95 old tall:-0.33 open:0.09 left:-0.22 day:0.61 |n size:0.1
1 |w blue red:1.79 old new:1.92 cold:1.52 open:0.4 right |n size:0.31
-1 |w dog new:0.32 shut:-0.03 sun:-0.13 |n size:0.77
-1 0.5 |w blue:0.48 café:-1.51 tall open day:0.5 night:-0.47 sun:1.8 |n size:0.01
1 2 |w straße:1.4 tall:-1.49 right:1.41 night
-1 2 |w cat:1.18 dog:0.32 blue straße tall:0.34 left
1 0.5 |w café:1.64 old:1.55 tall cold:0.99 night sun:0.67 |n size:0.2
1 0.5 |w blue:-0.73 straße cold open:0.63 |n size:0.07
1 2 |w cat über:0.96 new:-0.16 cold left:1.25 day:0.66 |n size:0.96
-1 0.5 |w cold:-1.14 night:0.14
1 |w café:-1.48 old left:2.44 right:1.8 day:1.49
1 |w straße:-0.54 old:-0.53 tall:-2.8 open:0.56 night:1.73 sun:0.17
