1 |a x |b y |ba z |ab q
1 |b a |a b
