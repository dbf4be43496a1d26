1 |a x:1e30 y:1e30 |b u
1 |b u |a y
