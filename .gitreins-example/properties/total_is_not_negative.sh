#!/bin/sh
# usage: total_is_not_negative.sh SEED, in the top level of the tree
# Draws 20 receipts and fails when one has a negative total.
seed=${1:?a seed}
awk -v seed="$seed" 'BEGIN {
  srand(seed)
  for (receipt = 0; receipt < 20; receipt++) {
    lines = 1 + int(rand() * 5)
    input = ""
    for (line = 0; line < lines; line++)
      input = input (1 + int(rand() * 9)) " " int(rand() * 500) "\n"
    command = "printf \"" input "\" | sh src/till.sh"
    command | getline total
    close(command)
    if (total + 0 < 0) { print "negative total " total " of:\n" input; exit 1 }
  }
}'
