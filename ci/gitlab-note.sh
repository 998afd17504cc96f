#!/bin/sh
# Writes the output of `catalog diff --format markdown` as a note on a merge request. Replaces the note of the previous run,
# which it finds by its first line. Needs curl and jq.
#
#   FILE           the Markdown
#   CATALOG_TOKEN  access token with the scope `api`; without one, nothing is written
set -eu

if [ -z "${CATALOG_TOKEN:-}" ]; then
  echo "Set the CI/CD variable CATALOG_TOKEN to a project access token with the scope api to get this as a note."
  exit 0
fi
marker='<!-- catalog diff -->'
notes=$CI_API_V4_URL/projects/$CI_PROJECT_ID/merge_requests/$CI_MERGE_REQUEST_IID/notes

# The header goes through stdin, so that the token does not appear in the list of processes.
api() {
  printf 'header = "PRIVATE-TOKEN: %s"\n' "$CATALOG_TOKEN" |
    curl --config - --fail --silent --show-error --retry 3 "$@"
}

user=$(api "${CI_API_V4_URL}/user" | jq -r .id)
earlier=
page=1
while [ -z "$earlier" ] && [ "$page" -le 50 ]; do
  api "$notes?per_page=100&page=$page" > notes.json
  earlier=$(jq -r --arg marker "$marker" --argjson user "$user" \
    '[.[] | select(.author.id == $user and (.body | startswith($marker))) | .id][0] // empty' notes.json)
  [ "$(jq length notes.json)" -eq 100 ] || break
  page=$((page + 1))
done
rm -f notes.json

if [ -n "$earlier" ]; then
  api --output /dev/null --request PUT --form "body=<$FILE" "$notes/$earlier"
elif grep -q '^\*\*No changes' "$FILE"; then
  echo "The merge request changes nothing in the catalogue."
else
  api --output /dev/null --request POST --form "body=<$FILE" "$notes"
fi
