#include "stf/stf_choose.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"

/* The text of a scalar of the record; false when it has no such field. */
static bool
field_text(const struct stf_device *d, const char *field, struct buf *out)
{
	const cJSON *v = json_get(d->json, field);

	if (cJSON_IsString(v))
		buf_str(out, v->valuestring);
	else if (cJSON_IsBool(v))
		buf_str(out, cJSON_IsTrue(v) ? "true" : "false");
	else if (cJSON_IsNumber(v))
		buf_fmt(out, "%.15g", v->valuedouble);
	else
		return false;
	return true;
}

static void
trim(const char **s, size_t *len)
{
	while (*len && isspace((unsigned char)**s)) {
		(*s)++;
		(*len)--;
	}
	while (*len && isspace((unsigned char)(*s)[*len - 1]))
		(*len)--;
}

static bool
same_text(const char *a, const char *b)
{
	size_t a_len = strlen(a), b_len = strlen(b);

	trim(&a, &a_len);
	trim(&b, &b_len);
	return a_len == b_len && strncasecmp(a, b, a_len) == 0;
}

/* One part of a dotted number; missing ones count as 0. */
static bool
next_part(const char **s, unsigned long *part)
{
	char *end;

	*part = 0;
	if (!**s)
		return true;
	if (!isdigit((unsigned char)**s))
		return false;
	*part = strtoul(*s, &end, 10);
	if (*end == '.' && end[1])
		end++;
	else if (*end)
		return false;
	*s = end;
	return true;
}

/* Dotted numbers; false when one of them is none. */
static bool
compare_versions(const char *a, const char *b, int *out)
{
	unsigned long x, y;

	if (!*a || !*b)
		return false;
	*out = 0;
	while (*a || *b) {
		if (!next_part(&a, &x) || !next_part(&b, &y))
			return false;
		if (*out == 0 && x != y)
			*out = x < y ? -1 : 1;
	}
	return true;
}

enum op { OP_NONE, OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE };

static enum op
operator_of(const char **text)
{
	static const struct {
		const char *sign;
		enum op op;
	} table[] = {
		{">=", OP_GE}, {"<=", OP_LE}, {"!=", OP_NE},
		{">", OP_GT},  {"<", OP_LT},  {"=", OP_EQ},
	};
	const char *s = *text;

	while (isspace((unsigned char)*s))
		s++;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t len = strlen(table[i].sign);

		if (strncmp(s, table[i].sign, len) == 0) {
			*text = s + len;
			return table[i].op;
		}
	}
	return OP_NONE;
}

static bool
holds(enum op op, int order)
{
	switch (op) {
	case OP_EQ:
		return order == 0;
	case OP_NE:
		return order != 0;
	case OP_LT:
		return order < 0;
	case OP_LE:
		return order <= 0;
	case OP_GT:
		return order > 0;
	case OP_GE:
		return order >= 0;
	case OP_NONE:
		break;
	}
	return false;
}

bool
stf_choose_matches(const struct stf_device *d, const struct stf_match *m)
{
	AUTO_BUF struct buf have = BUF_INIT_MAX(4096);
	AUTO_BUF struct buf want = BUF_INIT_MAX(4096);
	const char *value = m->value, *text;
	enum op op = operator_of(&value);
	size_t len;
	int order;

	if (!field_text(d, m->field, &have))
		return false;
	if (op == OP_NONE)
		return same_text(have.data, m->value);
	len = strlen(value);
	trim(&value, &len);
	buf_add(&want, value, len);
	text = have.data;
	len = have.len;
	trim(&text, &len);
	buf_truncate(&have, (size_t)(text - have.data) + len);
	if (!compare_versions(text, want.data, &order)) {
		/* No numbers: only the same or not the same can be told. */
		if (op != OP_EQ && op != OP_NE)
			return false;
		order = strcasecmp(text, want.data) != 0;
	}
	return holds(op, order);
}

/*
 * STF learns a phone's model and the rest when it is first ready; one that
 * never was may be the one that is wanted.
 */
static bool
may_be(const struct stf_device *d, const struct stf_match *m)
{
	return !d->ready && !json_get(d->json, m->field);
}

/* The first line that differs, or NULL when all of them fit. */
static const struct stf_match *
first_miss(const struct stf_device *d, const struct stf_want *w, size_t *hits)
{
	const struct stf_match *miss = NULL;

	*hits = 0;
	for (size_t i = 0; i < w->match_count; i++) {
		if (stf_choose_matches(d, &w->match[i]))
			++*hits;
		else if (!miss && !may_be(d, &w->match[i]))
			miss = &w->match[i];
	}
	return miss;
}

static enum stf_state
state_of(const struct stf_device *d, const char *me)
{
	bool owned = d->owner_email != NULL;

	if (!d->present)
		return STF_ABSENT;
	if (d->elsewhere)
		return STF_BUSY;
	if (owned)
		return me && strcmp(d->owner_email, me) == 0 ? STF_MINE
							     : STF_BUSY;
	if (d->status == 2)
		return STF_UNAUTHORIZED;
	if (!d->ready || d->status != 3)
		return STF_NOT_READY;
	return d->using ? STF_BUSY : STF_FREE;
}

/*
 * A phone that has never been ready has no model yet: it may be the one that
 * the plan wants, so it is no proof that nothing on the farm fits.
 */
static bool
is_unknown(const struct stf_device *d)
{
	return !d->ready && d->model[0] == '\0';
}

static void
judge(const struct stf_device *d, const struct stf_want *want, size_t count,
      const char *me, struct stf_verdict *v)
{
	const char *platform = json_str(d->json, "platform", "Android");

	*v = (struct stf_verdict){.device = d, .state = STF_NO_MATCH};
	if (strcasecmp(platform, "Android") != 0) {
		v->field = "platform";
		v->wanted = "Android";
		return;
	}
	for (size_t i = 0; i < count; i++) {
		const struct stf_match *miss;
		size_t hits;

		if (want[i].serial && strcmp(want[i].serial, d->serial) != 0) {
			if (!v->field) {
				v->field = "serial";
				v->wanted = want[i].serial;
			}
			continue;
		}
		miss = first_miss(d, &want[i], &hits);
		if (!miss || is_unknown(d)) {
			v->state = miss ? STF_NOT_READY : state_of(d, me);
			v->want = i;
			v->field = v->wanted = NULL;
			return;
		}
		/* An Android that was looked at is nearer than another. */
		if (!v->field || hits >= v->hits ||
		    strcmp(v->field, "serial") == 0) {
			v->hits = hits + 1;
			v->field = miss->field;
			v->wanted = miss->value;
		}
	}
}

/* Best first; the serial decides, so the order of the list does not. */
static int
by_rank(const void *a, const void *b)
{
	const struct stf_verdict *x = a, *y = b;

	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	if (x->want != y->want)
		return x->want < y->want ? -1 : 1;
	if (x->hits != y->hits)
		return x->hits > y->hits ? -1 : 1;
	return strcmp(x->device->serial, y->device->serial);
}

void
stf_choose(const struct stf_devices *list, const struct stf_want *want,
	   size_t want_count, const char *me, struct stf_choice *choice)
{
	memset(choice, 0, sizeof(*choice));
	choice->item = mem_array(list->count + 1, sizeof(*choice->item));
	for (size_t i = 0; i < list->count; i++) {
		struct stf_verdict *v = &choice->item[choice->count++];

		judge(&list->item[i], want, want_count, me, v);
		choice->free_count += v->state == STF_FREE;
		choice->fit_count += v->state != STF_NO_MATCH;
	}
	qsort(choice->item, choice->count, sizeof(*choice->item), by_rank);
}

void
stf_choose_done(struct stf_choice *choice)
{
	free(choice->item);
	memset(choice, 0, sizeof(*choice));
}

const char *
stf_choose_state_name(enum stf_state state)
{
	static const char *const name[] = {
		[STF_FREE] = "free",
		[STF_MINE] = "mine",
		[STF_BUSY] = "busy",
		[STF_UNAUTHORIZED] = "unauthorized",
		[STF_NOT_READY] = "not ready",
		[STF_ABSENT] = "absent",
		[STF_NO_MATCH] = "no match",
	};

	return name[state];
}

static void
add_text(struct buf *out, const char *s)
{
	buf_escaped(out, s, strnlen(s, 120));
}

static void
describe_busy(const struct stf_device *d, struct buf *out)
{
	const char *name = d->owner_name;

	if (d->owner_email) {
		buf_str(out, ": ");
		if (name && strcmp(name, d->owner_email) != 0) {
			add_text(out, name);
			buf_str(out, " <");
			add_text(out, d->owner_email);
			buf_chr(out, '>');
		} else {
			add_text(out, d->owner_email);
		}
		if (d->usage_since) {
			buf_str(out, " since ");
			add_text(out, d->usage_since);
		}
	} else if (d->elsewhere) {
		buf_str(out, ": booked by ");
		add_text(out, json_str(d->json, "group.owner.email",
				       "another group"));
	}
	if (stf_device_booked_until(d)) {
		buf_str(out, ", booked until ");
		add_text(out, stf_device_booked_until(d));
	}
}

void
stf_choose_describe(const struct stf_verdict *v, struct buf *out)
{
	static const char *const adb[] = {
		"",	  "offline",	"unauthorized",
		"online", "connecting", "authorizing",
	};
	AUTO_BUF struct buf have = BUF_INIT_MAX(4096);

	if (v->state == STF_MINE)
		buf_str(out, "held by this very account");
	else
		buf_str(out, stf_choose_state_name(v->state));
	switch (v->state) {
	case STF_BUSY:
	case STF_MINE:
		describe_busy(v->device, out);
		break;
	case STF_NOT_READY:
		if (v->device->status >= 1 && v->device->status <= 5)
			buf_fmt(out, " (adb: %s%s)", adb[v->device->status],
				v->device->ready ? "" : ", STF prepares it");
		break;
	case STF_NO_MATCH:
		if (!v->field)
			break;
		buf_str(out, ": ");
		add_text(out, v->field);
		buf_str(out, field_text(v->device, v->field, &have)
				     ? " is '"
				     : " is unknown");
		if (have.len) {
			add_text(out, have.data);
			buf_chr(out, '\'');
		}
		buf_str(out, ", not '");
		add_text(out, v->wanted);
		buf_chr(out, '\'');
		break;
	default:
		break;
	}
}

static const char *
reason_of(enum stf_state state)
{
	switch (state) {
	case STF_ABSENT:
		return "device_absent";
	case STF_NOT_READY:
		return "device_not_ready";
	case STF_UNAUTHORIZED:
		return "device_unauthorized";
	default:
		return "device_busy";
	}
}

static void
add_device(struct buf *b, const struct stf_verdict *v)
{
	buf_chr(b, '\'');
	add_text(b, v->device->serial);
	buf_chr(b, '\'');
	if (*v->device->model) {
		buf_str(b, " (");
		add_text(b, v->device->model);
		buf_chr(b, ')');
	}
	buf_str(b, " is ");
	stf_choose_describe(v, b);
}

int
stf_choose_error(const struct stf_choice *choice, struct err *err)
{
	AUTO_BUF struct buf b = BUF_INIT_MAX(2000);
	const struct stf_verdict *first = choice->count ? choice->item : NULL;

	if (!first) {
		err_set(err, ERR_NOTFOUND, "the farm shows no device at all");
		(void)err_reason(err, "no_device_fits");
		return err_hint(err, "does the token's user belong to the "
				     "devices' group? or has somebody booked "
				     "all of them?");
	}
	if (first->state == STF_NO_MATCH) {
		add_device(&b, first);
		err_set(err, ERR_NOTFOUND,
			"none of the farm's %zu devices fits or has ever "
			"fitted; %s",
			choice->count, b.data);
		(void)err_reason(err, "no_device_fits");
		return err_hint(err, "correct the plan's device.match "
				     "('patrol devices' lists what is there)");
	}
	add_device(&b, first);
	if (choice->fit_count > 1)
		buf_fmt(&b, "; %zu more fit and cannot be had either",
			choice->fit_count - 1);
	err_set(err, ERR_BUSY, "device %s", b.data);
	(void)err_reason(err, reason_of(first->state));
	if (first->state == STF_MINE)
		return err_hint(err, "another run of this account has it, or "
				     "'patrol reap' frees what a dead one "
				     "left");
	return -1;
}
