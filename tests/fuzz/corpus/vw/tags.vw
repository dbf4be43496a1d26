1 2 0.25 'tag | a
1 zebra|f a
'x|f b
1|f a
| a
