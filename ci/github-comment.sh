#!/bin/sh
# Writes the output of `catalog diff --format markdown` as a comment on a pull request. Replaces the comment of the previous
# run, which it finds by its first line, and never touches a comment of anybody else.
#
#   FILE        the Markdown
#   REPOSITORY  owner/name
#   NUMBER      number of the pull request
#   GH_TOKEN    token that may write to pull requests
set -eu

marker='<!-- catalog diff -->'
comments=repos/$REPOSITORY/issues/$NUMBER/comments
# Comments of GitHub Actions are written by a bot; with a personal token, by its user.
user=$(gh api user --jq .login 2>/dev/null) || user=
ours=".[] | select((.user.type == \"Bot\" or .user.login == \"$user\") and (.body | startswith(\"$marker\"))) | .id"
earlier=$(gh api --paginate "$comments?per_page=100" --jq "$ours" | sed -n 1p)

if [ -n "$earlier" ]; then
  gh api --silent --method PATCH "repos/$REPOSITORY/issues/comments/$earlier" --field "body=@$FILE"
elif grep -q '^\*\*No changes' "$FILE"; then
  echo "The pull request changes nothing in the catalogue."
else
  gh api --silent --method POST "$comments" --field "body=@$FILE"
fi
