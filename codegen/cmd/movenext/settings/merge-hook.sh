#!/bin/sh
# Written by movenext init: generates what a merge has changed, and leaves the commit to git commit.
unset GIT_DIR GIT_INDEX_FILE
before=$(git write-tree) && go tool movenext merge ./... && [ "$before" = "$(git write-tree)" ]
