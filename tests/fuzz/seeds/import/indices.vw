Version 9.11.9
Id 
Min label:-1
Max label:1
bits:18
lda:0
0 ngram:
0 skip:
options:
Checksum: 2704463348
:1
initial_t 0
sd::oec.weighted_labeled_examples 0
3:0.5 16 2
116060:-0.25 4 1
