#!/usr/bin/env bash
# with-postgres-15.sh COMMAND…: runs a command with TEST_DATABASE_URL at a PostgreSQL 15, the oldest one
# that is supported. Root installs Debian's where it is missing; without one, TEST_DATABASE_URL stays as it is.
set -euo pipefail

bin=/usr/lib/postgresql/15/bin
if [ -n "${TEST_DATABASE_URL:-}" ]; then exec "$@"; fi
if [ ! -x $bin/postgres ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql-15
fi
if [ ! -x $bin/postgres ]; then
  echo "There is no PostgreSQL 15: the embedded PostgreSQL takes its place. To name one, set TEST_DATABASE_URL."
  exec "$@"
fi

data=$(mktemp -d)
as_postgres() { bash -c "cd / && $1"; }
if [ "$(id -u)" = 0 ]; then
  chown postgres "$data"
  as_postgres() { su postgres -s /bin/bash -c "cd / && $1"; }
fi
trap 'as_postgres "$bin/pg_ctl -D $data/pg -m immediate stop" >/dev/null; rm -rf "$data"' EXIT
as_postgres "$bin/initdb -D $data/pg -U postgres -A trust --encoding=UTF8 --locale=C" >/dev/null
as_postgres "$bin/pg_ctl -D $data/pg -w -l $data/log start -o '-c listen_addresses= -k $data -c fsync=off'" >/dev/null
TEST_DATABASE_URL="postgres://postgres@localhost:5432/postgres?host=$data" "$@"
