#!/bin/sh
# The statements of `fix --output-format sql`, run by a real Postgres: exports of chats of coder are loaded, repaired in the
# database, and exported again. Then they are clean, a second run finds nothing to do, and the statements of a stale export
# change nothing. Needs initdb, postgres and psql, and an unused folder.
set -eu
cd "$(dirname "$0")/../.."
bin=${REPLAYLINT:-target/debug/replaylint}
for tool in initdb pg_ctl psql; do
    command -v $tool >/dev/null 2>&1 || { echo "no $tool found: the statements were not tried" && exit 0; }
done
scratch=$(mktemp -d)
user=$(id -un)
as() { "$@"; }
if [ "$user" = root ]; then
    # Postgres refuses to run as root.
    user=postgres
    chown postgres "$scratch"
    as() { setpriv --reuid postgres --regid postgres --init-groups "$@"; }
fi
stop() {
    as pg_ctl --pgdata "$scratch/data" --silent --mode immediate stop >/dev/null 2>&1 || true
    rm -rf "$scratch"
}
trap stop EXIT
as initdb --pgdata "$scratch/data" --username "$user" --auth trust --no-sync >"$scratch/log" 2>&1 || { cat "$scratch/log" && exit 1; }
as pg_ctl --pgdata "$scratch/data" --silent --wait --log "$scratch/server.log" --options "-c listen_addresses= -c fsync=off -k $scratch" start
sql() { psql --host "$scratch" --username "$user" --dbname postgres --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 "$@"; }
sql --command "CREATE TABLE chat_messages (id bigint PRIMARY KEY, chat_id uuid, role text, content jsonb, content_version int, visibility text, compressed boolean, deleted boolean, provider_response_id text, model_config_id text, created_at timestamptz)"

count=0
for chat in testdata/formats/coder-chat/v1-broken.json testdata/cli/coder/quotes.json "$@"; do
    sql --set "doc=$(cat "$chat")" <<'SQL'
DELETE FROM chat_messages;
INSERT INTO chat_messages SELECT * FROM jsonb_populate_recordset(null::chat_messages, :'doc'::jsonb);
SQL
    export=$scratch/export.json
    sql --command "SELECT json_agg(m ORDER BY m.id) FROM chat_messages m" >"$export"
    "$bin" fix --orphans drop --output-format sql "$export" >"$scratch/repair.sql" 2>/dev/null || [ $? = 1 ]
    sql --command "UPDATE chat_messages SET content = content || '[{\"type\":\"text\",\"text\":\"meanwhile\"}]' WHERE id = (SELECT min(id) FROM chat_messages WHERE role = 'assistant')"
    sql --command "TABLE chat_messages" >"$scratch/before"
    if sql --file "$scratch/repair.sql" 2>"$scratch/said"; then
        echo "error: $chat: the statements changed a row that had changed" >&2 && exit 1
    fi
    grep -q "has changed since it was exported" "$scratch/said" || { cat "$scratch/said" >&2 && exit 1; }
    sql --command "TABLE chat_messages" | cmp - "$scratch/before"
    sql --command "SELECT json_agg(m ORDER BY m.id) FROM chat_messages m" >"$export"
    "$bin" fix --orphans drop --output-format sql "$export" >"$scratch/repair.sql" 2>/dev/null || [ $? = 1 ]
    sql --file "$scratch/repair.sql"
    sql --command "SELECT json_agg(m ORDER BY m.id) FROM chat_messages m" >"$export"
    "$bin" check --quiet "$export"
    [ -z "$("$bin" fix --orphans drop --output-format sql "$export" 2>/dev/null)" ]
    count=$((count + 1))
done
echo "$count chats were repaired in a database"
