#!/bin/sh
# PgBouncer in transaction mode in front of the PostgreSQL at POSTGRES_HOST. The password comes from the environment, so the files are
# written at the start.
set -eu
folder=$(mktemp -d)
umask 077
printf '"%s" "%s"\n' "$POSTGRES_USER" "$POSTGRES_PASSWORD" >"$folder/users.txt"
cat >"$folder/pgbouncer.ini" <<INI
[databases]
$POSTGRES_DB = host=$POSTGRES_HOST port=${POSTGRES_PORT:-5432} dbname=$POSTGRES_DB

[pgbouncer]
listen_addr = ${POOLER_ADDRESS:-0.0.0.0}
listen_port = ${POOLER_PORT:-6432}
unix_socket_dir = $folder
auth_type = scram-sha-256
auth_file = $folder/users.txt
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
query_wait_timeout = 20
ignore_startup_parameters = extra_float_digits
INI
exec pgbouncer "$folder/pgbouncer.ini"
