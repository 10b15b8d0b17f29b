#!/bin/sh
# Builds web/dist/space, and with -check compares it with the committed build.
exec "$(dirname "$0")/../build.sh" space "$@"
