#!/bin/sh
# Prints the commit that a pull request is compared with. Run it in the checkout.
#
# A merge ref is compared with its first parent, the tip of the target branch that was merged: the difference is then what
# the pull request changes. The base commit that the event names is older, and would add what others merged since.
#
#   PR_BASE    commit to compare with, if the user named one
#   PR_HEAD    head commit of the pull request, if known
#   PR_TARGET  name of the target branch, if known
set -eu

fail() {
  echo "catalog: $*" >&2
  exit 1
}

# Whether the commit and its files are here.
is_here() {
  git cat-file -e "$1^{tree}" 2>/dev/null
}

# Prints the commit, after fetching it if the checkout is shallow.
found() {
  is_here "$1" || git fetch --quiet --no-tags --depth=1 origin "$1" 2>/dev/null || true
  is_here "$1" || fail "commit $1 is not in this checkout; check out with fetch-depth: 2 or more"
  printf '%s\n' "$1"
}

if [ -n "${PR_BASE:-}" ]; then
  git rev-parse --verify --quiet "$PR_BASE^{commit}" && exit
  git rev-parse --verify --quiet "refs/remotes/origin/$PR_BASE^{commit}" && exit
  git fetch --quiet --no-tags --depth=1 origin "$PR_BASE" 2>/dev/null || fail "cannot find or fetch the base $PR_BASE"
  git rev-parse --verify FETCH_HEAD
  exit
fi

# Read from the commit itself, since `HEAD^1` does not exist at the end of a shallow history.
head=$(git rev-parse --verify HEAD)
parents=$(git cat-file commit "$head" | sed -n -e '/^$/q' -e 's/^parent //p')
first=$(printf '%s\n' "$parents" | sed -n 1p)
second=$(printf '%s\n' "$parents" | sed -n 2p)
third=$(printf '%s\n' "$parents" | sed -n 3p)

if [ -n "$second" ] && [ -z "$third" ] && [ "${PR_HEAD:-$second}" = "$second" ]; then
  found "$first"
  exit
fi

# The head of the pull request itself: compared with the commit at which it left the target branch.
[ -n "${PR_TARGET:-}" ] || fail "this is not a merge of a pull request, and the target branch is unknown; set the base"
target=$(git rev-parse --verify --quiet "refs/remotes/origin/$PR_TARGET^{commit}") || {
  git fetch --quiet --no-tags origin "refs/heads/$PR_TARGET" 2>/dev/null ||
    fail "cannot fetch the branch $PR_TARGET; check out with fetch-depth: 0"
  target=$(git rev-parse --verify FETCH_HEAD)
}
git merge-base "$target" "$head" ||
  fail "$PR_TARGET and the pull request have no common commit in this checkout; check out with fetch-depth: 0"
