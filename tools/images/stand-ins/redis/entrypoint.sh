#!/bin/bash
# As the image redis starts: options alone are those of the server.
set -e
[ "${1#-}" = "$1" ] || set -- redis-server "$@"
exec "$@"
