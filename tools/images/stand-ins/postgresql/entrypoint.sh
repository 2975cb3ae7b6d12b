#!/bin/bash
# As the image postgres starts: an empty data folder is filled, and the scripts run in it, before anyone can connect over TCP.
set -e
[ "$1" = postgres ] || exec "$@"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  initdb -D "$PGDATA" -U "$POSTGRES_USER" --pwfile=<(printf '%s\n' "$POSTGRES_PASSWORD") -E UTF8 --no-locale > /tmp/initdb.log 2>&1 ||
    { cat /tmp/initdb.log >&2; exit 1; }
  printf 'host all all all scram-sha-256\n' >> "$PGDATA/pg_hba.conf"
  pg_ctl -D "$PGDATA" -w -s -o "-c listen_addresses='' -c unix_socket_directories=/var/run/postgresql" start
  as=(psql -q -v ON_ERROR_STOP=1 -U "$POSTGRES_USER")
  [ "$POSTGRES_DB" = postgres ] || "${as[@]}" -d postgres -v name="$POSTGRES_DB" <<< 'CREATE DATABASE :"name";'
  for script in /docker-entrypoint-initdb.d/*.sql; do
    [ ! -e "$script" ] || "${as[@]}" -d "$POSTGRES_DB" -f "$script"
  done
  pg_ctl -D "$PGDATA" -w -s -m fast stop
fi
exec "$@" -c listen_addresses='*' -c unix_socket_directories=/var/run/postgresql
