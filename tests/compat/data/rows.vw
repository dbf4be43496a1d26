-1 |w cat:0.17 dog:-0.18 über:1.03 tall shut:0.38 left:0.37 sun |n size:0.26
1 |w blue warm:-1.64 |n size:0.62
-1 2 |w new moon:0.62
1 |w cat:1.89 straße über:-0.85 red cold:0.89 open:1.07 left |n size:0.39
-1 0.5 |w über:1.69 red new:1.76 cold:0.44 moon:-0.08 |n size:0.34
-1 |w cat:0.04 green:1.52 café:-0.71 old day:-0.22 sun:1.4 moon |n size:0.99
-1 |w dog:0.08 blue green über red:0.61 day:-0.13 sun:-0.4 |n size:0.51
-1 |w dog blue:1.72 day:-0.45 night:-0.52 sun
