#!/bin/bash
# A standby of the PostgreSQL at POSTGRES_HOST: copies it when its own data folder is empty, and follows it from then on.
set -euo pipefail
export PGPASSWORD=$POSTGRES_PASSWORD
port=${POSTGRES_PORT:-5432}
primary=(--host "$POSTGRES_HOST" --port "$port" --username "$POSTGRES_USER" --dbname "$POSTGRES_DB")

if [[ ! -s $PGDATA/PG_VERSION ]]; then
  # Commits of the primary wait for this standby, which does not run yet; these do not wait.
  PGOPTIONS='-c synchronous_commit=local' psql "${primary[@]}" --no-psqlrc --quiet --set ON_ERROR_STOP=1 --set password="$PGPASSWORD" <<'SQL'
select 'create role replicator replication login' where not exists (select from pg_roles where rolname = 'replicator') \gexec
alter role replicator password :'password';
select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = 'standby' and not active;
SQL
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  pg_basebackup --pgdata "$PGDATA" --dbname "host=$POSTGRES_HOST port=$port user=replicator application_name=standby" \
    --wal-method stream --checkpoint fast --create-slot --slot standby --write-recovery-conf
fi
exec postgres "$@"
