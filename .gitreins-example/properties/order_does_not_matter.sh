#!/bin/sh
# usage: order_does_not_matter.sh SEED, in the top level of the tree
# Adds up the lines of the fixture in two orders and fails when the totals differ.
: "${1:?a seed}"
forwards=$(sh src/till.sh <fixtures/receipt.txt)
backwards=$(sort -r fixtures/receipt.txt | sh src/till.sh)
[ "$forwards" = "$backwards" ] || { echo "$forwards forwards, $backwards backwards"; exit 1; }
