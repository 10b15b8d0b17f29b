#!/bin/sh
# Builds web/dist/console, and with -check compares it with the committed build.
exec "$(dirname "$0")/../build.sh" console "$@"
