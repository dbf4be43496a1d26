1 |a x y:2 |b u v:3
-1 |apple x |bean y:0
| a
