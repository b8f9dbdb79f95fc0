# shellcheck shell=sh
# The genuine clickhouse-server, after lib.sh: in a folder of the test, with a
# configuration of its own, on loopback and a port of the kernel's choice.

CH_PID=''
CH_DIR=''	# its folder
CH_PORT=''

ch_config()
{
	mkdir -p "$CH_DIR"
	cat >"$CH_DIR/config.xml" <<XML
<yandex>
  <logger>
    <level>warning</level>
    <log>$CH_DIR/log</log>
    <errorlog>$CH_DIR/errors</errorlog>
  </logger>
  <http_port>0</http_port>
  <listen_host>127.0.0.1</listen_host>
  <path>$CH_DIR/data/</path>
  <tmp_path>$CH_DIR/tmp/</tmp_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <mark_cache_size>100000000</mark_cache_size>
</yandex>
XML
	cat >"$CH_DIR/users.xml" <<'XML'
<yandex>
  <profiles>
    <default><max_memory_usage>1000000000</max_memory_usage></default>
    <tight><max_memory_usage>20000000</max_memory_usage></tight>
    <readonly><readonly>1</readonly></readonly>
  </profiles>
  <users>
    <default>
      <password>open-sesame</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
    </default>
    <narrow>
      <password>open-sesame</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>tight</profile>
      <quota>default</quota>
    </narrow>
    <reader>
      <password>open-sesame</password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>readonly</profile>
      <quota>default</quota>
    </reader>
  </users>
  <quotas><default/></quotas>
</yandex>
XML
}

# The port on which a process listens, of its descriptors and the kernel's table.
ch_port_of()
{
	find "/proc/$1/fd" -lname 'socket:*' -printf '%l\n' 2>/dev/null |
		tr -dc '0-9\n' >"$CH_DIR/sockets"
	printf '%d\n' "0x$(awk 'NR == FNR { ours[$1]; next }
		$4 == "0A" && $10 in ours { split($2, at, ":"); print at[2] }' \
		"$CH_DIR/sockets" /proc/net/tcp | head -n 1)" 2>/dev/null
}

ch_answers()
{
	kill -0 "$CH_PID" 2>/dev/null || return 0
	CH_PORT=$(ch_port_of "$CH_PID") && [ "$CH_PORT" -gt 0 ] &&
		curl -s "http://127.0.0.1:$CH_PORT/ping" | grep -q Ok
}

# ch_up [FOLDER]: starts it on what is in FOLDER; sets CH_URL.
ch_up()
{
	CH_DIR=${1:-$T/clickhouse}
	ch_config
	(cd "$CH_DIR" && exec clickhouse-server --config-file=config.xml \
		>out 2>&1 </dev/null) &
	CH_PID=$!
	need await ch_answers
	need [ "${CH_PORT:-0}" -gt 0 ]
	CH_URL=http://127.0.0.1:$CH_PORT/patrol
	PATROL_HISTORY=clickhouse:$CH_URL
	PATROL_CLICKHOUSE_USER=default
	PATROL_CLICKHOUSE_PASSWORD=open-sesame
	export CH_URL PATROL_HISTORY PATROL_CLICKHOUSE_USER \
		PATROL_CLICKHOUSE_PASSWORD
}

# ch_down [SIGNAL]
ch_down()
{
	[ -n "$CH_PID" ] || return 0
	kill -"${1:-TERM}" "$CH_PID" 2>/dev/null
	wait "$CH_PID" 2>/dev/null
	CH_PID=''
}

# sql STATEMENT: as the user who may do all.
sql()
{
	curl -sS -H 'X-ClickHouse-User: default' \
		-H 'X-ClickHouse-Key: open-sesame' \
		--data-binary "$1" "http://127.0.0.1:$CH_PORT/"
}

# shellcheck disable=SC2154
trap 'exit_status=$?; ch_down; (exit $exit_status); at_exit' EXIT
