#!/bin/sh
# till.sh: reads lines "count price", prints the total of the receipt
awk '{ sum += $1 * $2 } END { print sum + 0 }'
