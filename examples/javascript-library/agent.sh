#!/bin/sh
# Plays an agent: it reads its task on stdin, and applies an answer that was written beforehand. The first one has a
# mistake. Muster's own run of the tests finds it, and the second round repairs it.
cat >/dev/null
echo "round $MUSTER_ROUND of $MUSTER_TASK_ID"
git apply "answers/round-$MUSTER_ROUND.patch"
