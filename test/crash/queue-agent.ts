/**
 * The agent of the random queues. Lines look like `5: s-1.1 !s-2.1 user.1`: each edit leaves a token of its own, and one
 * that rewrites a line marks the tokens it saw with `!`. Conflicts are resolved by keeping what both sides have.
 */

/** Both sides of a conflict, line by line: all tokens, and `!x` instead of x where one side has taken x out. */
export const RESOLVE = `/^(<<<<<<<|=======|>>>>>>>)/ { next }
{
  if (!($1 in tokens)) { order[++n] = $1; tokens[$1] = "" }
  for (i = 2; i <= NF; i++) if (!(($1, $i) in seen)) { seen[$1, $i] = 1; tokens[$1] = tokens[$1] " " $i }
}
END {
  for (i = 1; i <= n; i++) for (j = i + 1; j <= n; j++) if (order[j] + 0 < order[i] + 0) { t = order[i]; order[i] = order[j]; order[j] = t }
  for (i = 1; i <= n; i++) {
    out = order[i]
    count = split(tokens[order[i]], list, " ")
    for (k = 1; k <= count; k++) if (!((order[i], "!" list[k]) in seen)) out = out " " list[k]
    print out
  }
}
`

/** Adds the token to the line \`key\`, which is made if there is none. */
export const EDIT = `$1 != key { if ($1 + 0 > key + 0 && !done) { print key " " token; done = 1 } print; next }
{
  out = $1
  for (i = 2; i <= NF; i++) out = out " " (how == "rewrite" && substr($i, 1, 1) != "!" ? "!" $i : $i)
  print out " " token
  done = 1
}
END { if (!done) print key " " token }
`

/** Resolves what it finds, then follows the script of its task and attempt, and notes down what it did. */
export const AGENT = `for file in *.txt; do
  if grep -q '^<<<<<<<' $file; then awk -f "$WORLD/resolve.awk" $file >resolved && mv resolved $file; fi
done
script="$WORLD/scripts/$MUSTER_TASK_ID.$MUSTER_ATTEMPT"
[ -f "$script" ] || { verdict pass; exit; }
token="$MUSTER_TASK_ID.$MUSTER_ATTEMPT"
while read -r word what line how; do
  case $word in
    edit)
      touch $what
      awk -v key="$line:" -v token="$token" -v how="$how" -f "$WORLD/edit.awk" $what >edited && mv edited $what
      echo "$MUSTER_RUN_ID $what $line $token" >>"$WORLD/done" ;;
    sleep) sleep $what ;;
    verdict) verdict $what ;;
  esac
done <"$script"
`
