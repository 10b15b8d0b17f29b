#!/bin/sh
set -e
getent passwd portico >/dev/null ||
	useradd --system --user-group --home-dir /var/lib/portico --shell /usr/sbin/nologin portico
install -d -o portico -g portico -m 0700 /var/lib/portico /var/lib/portico/data
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart portico
fi
# The first time: dpkg names the version that was here before, and rpm counts the packages.
case "$1 $2" in
"configure " | "1 ") echo 'Start Portico with: systemctl enable --now portico' ;;
esac
