#!/bin/sh
# Learns the synthetic stream of paper 001, section 5.2, with several learners: 100 of 1,000 features carry the label, the
# others are noise. demo.sh PROGRAM FOLDER
set -eu
sluice=$1
folder=$2
mkdir -p "$folder"

echo "making the stream: 100,000 examples to learn from, 10,000 to test on, 1,000 dimensions, the first 100 effective"
{ [ -s "$folder/train.bin" ] && [ -s "$folder/test.bin" ]; } ||
    "$sluice" synth effective -o "$folder/train.bin" --test "$folder/test.bin"

# The values are not scaled (their variance is up to 100), so steps are small. experiments/synthetic.py found these.
table="$folder/table.txt"
: >"$table"
learn() { # learner, parameters...
    learner=$1
    shift
    echo
    echo "== $learner $*"
    options=""
    for p in "$@"; do options="$options -P $p"; done
    # shellcheck disable=SC2086 # several words
    "$sluice" train -a "$learner" $options -o "$folder/$learner.model" --test "$folder/test.bin" "$folder/train.bin" >"$folder/$learner.txt"
    "$sluice" inspect --weights "$folder/$learner.model" >"$folder/$learner.weights"
    error=$("$sluice" test -m "$folder/$learner.model" "$folder/test.bin" | awk '/^error rate/ {print $NF}')
    awk -v learner="$learner" -v error="$error" '
        {if ($1 <= 100) kept++; else others++}
        END {printf "%-12s %9.2f %% %9.1f %% %14d %14d\n", learner, 100 * error, 100 * (1 - (kept + others) / 1000), kept, others}
    ' "$folder/$learner.weights" >>"$table"
}

learn stg eta=3e-6 lambda=0.2
learn fobos eta=0.003 lambda=0.2
learn ada-fobos eta=0.003 lambda=0.2
learn ada-rda eta=1e-5 delta=1 lambda=0.032
echo
echo "fsol and ssol err like a coin at first: their threshold removes every weight until enough has been learned"
learn fsol eta=1e-5 lambda=2048
learn ssol eta=3e-6 r=1e7 lambda=600

echo
echo "learner     test error    sparsity  effective kept  noise features"
echo "                                     (of 100)         (of 900)"
cat "$table"
echo
echo "The models are in $folder. Try: $sluice inspect $folder/ssol.model"
