x | a
1 a
1 | a:x
1 | a:nan
1 | a:1e99
1 -1 | a
1 |:2 a
1 | a:
1 2 3 4 | a
1 | ab
