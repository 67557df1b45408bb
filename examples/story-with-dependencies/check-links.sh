#!/bin/sh
# Every page that a page links to is there.
status=0
for page in site/*.html; do
  for link in $(grep -o 'href="[^"]*"' "$page" | sed 's/href="//; s/"$//'); do
    [ -f "site/$link" ] || { echo "$page links to $link, which is not there"; status=1; }
  done
done
exit $status
