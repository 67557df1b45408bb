# Turns what `go test -json` prints back into what `go test` would have printed: what passed says nothing, unless `v` is set.
function text(line,   from, s) {
  from = index(line, "\"Output\":\"")
  if (from == 0) return ""
  s = substr(line, from + 10)
  match(s, /^([^"\\]|\\.)*/)
  s = substr(s, 1, RLENGTH)
  gsub(/\\\\/, "\001", s)
  gsub(/\\n/, "\n", s); gsub(/\\r/, "\r", s); gsub(/\\t/, "\t", s); gsub(/\\"/, "\"", s); gsub(/\\\//, "/", s)
  gsub(/\\u003c/, "<", s); gsub(/\\u003e/, ">", s); gsub(/\\u0026/, "\\&", s); gsub(/\\u001b/, "\033", s)
  gsub(/\001/, "\\\\", s)
  return s
}
function field(line, name,   from, s) {
  from = index(line, "\"" name "\":\"")
  if (from == 0) return ""
  s = substr(line, from + length(name) + 4)
  return substr(s, 1, index(s, "\"") - 1)
}
!/^\{"(Time|Action|ImportPath)":/ { print; next }
{
  action = field($0, "Action"); test = field($0, "Test"); key = field($0, "Package") SUBSEP test
  if (action == "output" || action == "build-output") {
    said = text($0)
    if (test == "" || v) { if (v || said !~ /^PASS\r?\n$/) printf "%s", said }
    else if (said !~ /^=== (RUN|PAUSE|CONT|NAME)/) { if (!(key in held)) order[++n] = key; held[key] = held[key] said }
  } else if (test != "" && action == "fail") { printf "%s", held[key]; delete held[key] }
  else if (test != "" && (action == "pass" || action == "skip" || action == "bench")) delete held[key]
  fflush()
}
END { for (i = 1; i <= n; i++) if (order[i] in held) printf "%s", held[order[i]] }
