# Is a value what a JSON schema says?  schema_check(SCHEMA; SCHEMA; NAME) says
# each place that is not, and nothing when all is well.  It knows the words that
# docs/schema/ uses and says others.

def known: ["$schema", "$id", "$comment", "$defs", "$ref", "title",
	"description", "type", "const", "enum", "pattern", "format", "minimum",
	"maximum", "items", "minItems", "maxItems", "properties", "required", "additionalProperties",
	"anyOf", "default", "examples"];

def is_type($t):
	if $t == "integer" then type == "number" and . == floor
	else type == $t end;

def schema_check($root; $s; $at):
	. as $v
	| if $s | type == "boolean" then
		(if $s then empty else "\($at): must not be there" end)
	else
	  (($s | keys - known)[] | "\($at): the schema says '\(.)'"),
	  (if $s["$ref"] then
		($s["$ref"] | ltrimstr("#/") | split("/")) as $p
		| schema_check($root; $root | getpath($p); $at) else empty end),
	  (if $s.type and ([$s.type] | flatten
		| all(. as $t | $v | is_type($t) | not))
		then "\($at): \($v | type), not \($s.type)" else empty end),
	  (if ($s | has("const")) and $s.const != $v
		then "\($at): is not \($s.const)" else empty end),
	  (if $s.enum and ($s.enum | index([$v]) | not)
		then "\($at): '\($v)' is none of \($s.enum)" else empty end),
	  (if $s.anyOf and ([$s.anyOf[] as $o
		| [$v | schema_check($root; $o; $at)] | length] | all(. > 0))
		then "\($at): fits none of the ways" else empty end),
	  (if ($v | type) == "string" then
		(if $s.pattern and ($v | test($s.pattern) | not)
			then "\($at): '\($v)' against \($s.pattern)"
			else empty end),
		(if $s.format == "date-time" and
			($v | test("^\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|[+-]\\d\\d:\\d\\d)$") | not)
			then "\($at): '\($v)' is no time" else empty end)
	   elif ($v | type) == "number" then
		(if $s.minimum and $v < $s.minimum
			then "\($at): \($v) is too small" else empty end),
		(if $s.maximum and $v > $s.maximum
			then "\($at): \($v) is too large" else empty end)
	   elif ($v | type) == "array" then
		(if $s.minItems and ($v | length) < $s.minItems or
			$s.maxItems and ($v | length) > $s.maxItems
			then "\($at): \($v | length) items" else empty end),
		(if $s.items then range($v | length) as $i
			| $v[$i] | schema_check($root; $s.items; "\($at)[\($i)]")
			else empty end)
	   elif ($v | type) == "object" then
		(($s.required // [])[] | select(. as $k | $v | has($k) | not)
			| "\($at): lacks '\(.)'"),
		($v | keys[] as $k
			| if $s.properties | has($k)?
			  then $v[$k] | schema_check($root; $s.properties[$k]; "\($at).\($k)")
			  elif $s | has("additionalProperties")
			  then $v[$k] | schema_check($root; $s.additionalProperties;
				"\($at).\($k)")
			  else empty end)
	   else empty end)
	end;
