#!/bin/sh
set -e
# Not at an upgrade. The data stay in /var/lib/portico.
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		systemctl disable --now portico
	fi
	;;
esac
