-1 |w straße:1.47 new:0.68
1 0.5 |w red old:1.6 new:1.83 open shut
1 |w über:-0.31 cold |n size:0.99
1 2 |w café:1.36 tall open
-1 0.5 |w green café über:0.93 old tall open shut |n size:0.4
1 |w über:0.52 new:0.02 tall:0.03 warm:2.0 open shut:1.2 |n size:0.84
-1 |w dog green:-0.43 red tall:1.82 |n size:0.67
-1 2 |w café über:0.01 open left:-1.82
-1 |w cat café |n size:0.32
1 2 |w dog:0.03 blue café warm:1.31
1 |w cat:0.18 green:1.21 café:2.0 straße:1.96 open shut left
1 2 |w dog:1.11 café:1.56 über new:-0.3 cold shut:1.59 left
1 |w blue:-0.12 über:-0.21 red cold:1.77 open |n size:0.17
-1 |w new cold:0.73 shut:0.81 left:-0.86 |n size:0.06
1 |w dog:1.07 café tall cold
1 2 |w blue:0.14 warm:-2.07 open:-0.7 shut:1.81 left
1 0.5 |w dog:0.93 straße:1.21 über:-0.88 new cold:0.62 open shut |n size:0.33
-1 2 |w café:-0.2 old:0.81 new:0.31 cold:0.46
1 |w blue:1.38 café:1.72 red new:0.42 tall:0.94 |n size:0.81
1 |w cat:1.37 dog green café red warm shut:0.66 |n size:0.83
-1 0.5 |w cat:-0.75 blue:1.71 café:0.18 old new:0.75 tall |n size:0.0
-1 2 |w green:0.95 café:0.78 straße über tall open:-0.89 |n size:0.63
-1 2 |w cat:1.57 dog café:0.75 old:-0.28 warm:1.87 open:0.37 left:0.66 |n size:0.45
1 |w dog über:-0.34 red tall cold:0.98
1 |w über:-0.28 cold:1.38 shut:-0.4 |n size:0.15
1 0.5 |w green straße über new warm left:1.11
