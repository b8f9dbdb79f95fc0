# shellcheck shell=sh
# For tests of the history, after lib.sh.

# days FILE FIRST LAST AWK: runs of those days, in which AWK sets load.
days()
{
	awk -v first="$2" -v last="$3" 'BEGIN {
		printf "["
		for (d = first; d <= last; d++) {
			load = 1800 + d * 7 % 23
			size = 400000000
			'"$4"'
			printf "%s{\"at\": \"2026-10-%02dT09:45:02Z\", ", \
				(d > first ? "," : ""), d
			printf "\"run_id\": \"%d\", \"commit\": ", 5000 + d
			printf "\"%07d0000000000000000000000000000000000\", ", d
			printf "\"key\": {\"model\": \"Pixel 6\", \"os\": \"%s\"},", \
				(os ? os : "14")
			printf "\"metrics\": [{\"name\": \"load\", "
			printf "\"subject\": \"home>shop\", \"unit\": \"ms\", "
			printf "\"value\": %d}, {\"name\": \"apk_size\", ", load
			printf "\"unit\": \"bytes\", \"deterministic\": true, "
			printf "\"value\": %d}]}", size
		}
		print "]"
	}' >"$1"
}
