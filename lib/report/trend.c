#include "report/trend.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/wall.h"

/* Where in the JSON a reader is, for its errors. */
struct place {
	size_t series, item;
	const char *list;
};

static int
wrong(const struct place *p, const char *what, struct err *err)
{
	return err_set(err, ERR_INPUT, "trends: series[%zu].%s[%zu] %s",
		       p->series, p->list, p->item, what);
}

/* A whole number of 0 to below `end`. */
static bool
index_of(const cJSON *o, const char *key, size_t end, size_t *out)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);

	if (!cJSON_IsNumber(v) || !(v->valuedouble >= 0) ||
	    !(v->valuedouble < (double)end) ||
	    v->valuedouble != floor(v->valuedouble))
		return false;
	*out = (size_t)v->valuedouble;
	return true;
}

static bool
finite_of(const cJSON *o, const char *key, double *out)
{
	const cJSON *v = cJSON_GetObjectItemCaseSensitive(o, key);

	if (!cJSON_IsNumber(v) || !isfinite(v->valuedouble))
		return false;
	*out = v->valuedouble;
	return true;
}

static int
read_run(const cJSON *json, size_t i, struct trend *t, struct err *err)
{
	struct trend_run *r = &t->run[i];

	*r = (struct trend_run){
		.at = json_str(json, "at", NULL),
		.run_id = json_str(json, "run_id", NULL),
		.commit = json_str(json, "commit", NULL),
		.outcome = json_str(json, "outcome", NULL),
		.message = json_str(json, "message", NULL),
		.invalid = json_str(json, "invalid", NULL),
		.url = json_str(json, "report_url", NULL),
		.baseline = json_str(json, "new_baseline", NULL),
		.measured = json_bool(json, "measured", false),
		.valid = json_bool(json, "valid", true),
	};
	if (r->run_id == NULL) {
		t->ids[i] = json_id(json, "run_id");
		r->run_id = t->ids[i];
	}
	if (!wall_parse(r->at, &r->at_s))
		return err_set(err, ERR_INPUT,
			       "trends: runs[%zu].at is no time", i);
	if (i > 0 && r->at_s < t->run[i - 1].at_s)
		return err_set(err, ERR_INPUT,
			       "trends: runs[%zu] is older than the one before",
			       i);
	return 0;
}

static int
read_runs(const cJSON *json, struct trend *t, struct err *err)
{
	const cJSON *list = json_get(json, "runs"), *r;
	size_t n = json_count(json, "runs");

	if (!cJSON_IsArray(list))
		return err_set(err, ERR_INPUT, "trends: there are no 'runs'");
	if (n > TREND_RUNS_MAX)
		return err_set(err, ERR_INPUT,
			       "trends: %zu runs are more than %d", n,
			       TREND_RUNS_MAX);
	t->run = mem_alloc((n + 1) * sizeof(*t->run));
	t->ids = mem_alloc((n + 1) * sizeof(*t->ids));
	cJSON_ArrayForEach(r, list)
	{
		t->runs++;
		if (read_run(r, t->runs - 1, t, err))
			return -1;
	}
	return 0;
}

static int
read_points(const cJSON *json, const struct trend *t, struct trend_series *s,
	    struct place p, struct err *err)
{
	const cJSON *item;

	s->point =
		mem_alloc((json_count(json, "points") + 1) * sizeof(*s->point));
	p.list = "points";
	cJSON_ArrayForEach(item, json_get(json, "points"))
	{
		struct trend_point *pt = &s->point[s->points];

		p.item = s->points;
		if (!index_of(item, "run", t->runs, &pt->run))
			return wrong(&p, "names no run", err);
		if (s->points && pt->run <= pt[-1].run)
			return wrong(&p,
				     "is not of a later run than the one "
				     "before",
				     err);
		if (!finite_of(item, "value", &pt->value))
			return wrong(&p, "has no value that is a number", err);
		pt->unused = json_str(item, "unused", NULL);
		s->points++;
	}
	return 0;
}

static int
read_levels(const cJSON *json, struct trend_series *s, struct place p,
	    struct err *err)
{
	const cJSON *item;

	s->level =
		mem_alloc((json_count(json, "levels") + 1) * sizeof(*s->level));
	p.list = "levels";
	p.item = 0;
	cJSON_ArrayForEach(item, json_get(json, "levels"))
	{
		struct trend_level *l = &s->level[s->levels];

		if (!index_of(item, "from", s->points, &l->from) ||
		    !index_of(item, "to", s->points, &l->to) ||
		    l->to < l->from || (s->levels && l->from <= l[-1].to))
			return wrong(&p, "has no range of points", err);
		if (!finite_of(item, "median", &l->median))
			return wrong(&p, "has no median", err);
		if (!finite_of(item, "noise", &l->noise) || l->noise < 0)
			l->noise = 0; /* too few runs know none */
		s->levels++;
		p.item++;
	}
	return 0;
}

static bool
kind_of(const char *word, enum trend_kind *out)
{
	static const char *const words[] = {"suspect", "regression", "creep",
					    "improvement"};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(word, words[i]) == 0) {
			*out = (enum trend_kind)i;
			return true;
		}
	}
	return false;
}

static int
read_marks(const cJSON *json, struct trend_series *s, struct place p,
	   struct err *err)
{
	const cJSON *item;

	s->mark = mem_alloc((json_count(json, "marks") + 1) * sizeof(*s->mark));
	p.list = "marks";
	p.item = 0;
	cJSON_ArrayForEach(item, json_get(json, "marks"))
	{
		struct trend_mark *m = &s->mark[s->marks];

		if (!index_of(item, "point", s->points, &m->point) ||
		    !index_of(item, "seen", s->points, &m->seen) ||
		    m->seen < m->point)
			return wrong(&p, "names no points", err);
		m->line = json_str(item, "line", NULL);
		if (!finite_of(item, "before", &m->before) ||
		    !finite_of(item, "after", &m->after))
			m->before = m->after = NAN;
		/* A kind of a later patrol is not ours to draw. */
		if (kind_of(json_str(item, "kind", ""), &m->kind))
			s->marks++;
		p.item++;
	}
	return 0;
}

/*
 * Of "home>shop" and "shop (2)" it is "shop".  A capture's name is no screen.
 */
static char *
screen_of(const char *metric, const char *subject)
{
	const char *to = strrchr(subject, '>');
	const char *name = to && to[1] ? to + 1 : subject;
	const char *twice = strrchr(name, '(');
	size_t len = strlen(name);

	if (strcmp(metric, "captures_missing") == 0)
		return mem_strdup("");
	if (twice && twice > name + 1 && twice[-1] == ' ' &&
	    strspn(twice + 1, "0123456789") == len - (size_t)(twice - name) - 2)
		len = (size_t)(twice - name) - 1;
	return mem_strndup(name, len);
}

static int
read_series(const cJSON *json, struct trend *t, size_t *points, struct err *err)
{
	struct place p = {.series = t->count};
	struct trend_series *s = &t->series[t->count++];

	*s = (struct trend_series){
		.metric = json_str(json, "metric", NULL),
		.subject = json_str(json, "subject", ""),
		.unit = json_str(json, "unit", NULL),
		.lower_is_better = json_bool(json, "lower_is_better", true),
	};
	if (s->metric == NULL)
		return err_set(err, ERR_INPUT,
			       "trends: series[%zu] has no metric", p.series);
	s->screen = screen_of(s->metric, s->subject);
	*points += json_count(json, "points");
	if (*points > TREND_POINTS_MAX) {
		err_set(err, ERR_INPUT, "trends: more than %d values",
			TREND_POINTS_MAX);
		return err_hint(err, "take fewer runs");
	}
	if (json_count(json, "levels") > TREND_RUNS_MAX ||
	    json_count(json, "marks") > TREND_RUNS_MAX)
		return err_set(err, ERR_INPUT,
			       "trends: series[%zu] has more levels or marks "
			       "than runs can have",
			       p.series);
	if (read_points(json, t, s, p, err) || read_levels(json, s, p, err))
		return -1;
	return read_marks(json, s, p, err);
}

int
trend_read(const cJSON *json, struct trend *out, struct err *err)
{
	const cJSON *list = json_get(json, "series"), *s;
	size_t n = json_count(json, "series"), points = 0;
	int rc;

	*out = (struct trend){.json = json};
	rc = read_runs(json, out, err);
	if (rc == 0 && !cJSON_IsArray(list))
		rc = err_set(err, ERR_INPUT, "trends: there are no 'series'");
	if (rc == 0 && n > TREND_SERIES_MAX)
		rc = err_set(err, ERR_INPUT,
			     "trends: %zu series are more than %d", n,
			     TREND_SERIES_MAX);
	if (rc == 0) {
		out->series = mem_alloc((n + 1) * sizeof(*out->series));
		cJSON_ArrayForEach(s, list)
		{
			rc = read_series(s, out, &points, err);
			if (rc)
				break;
		}
	}
	if (rc)
		trend_done(out);
	return rc;
}

void
trend_done(struct trend *t)
{
	for (size_t i = 0; i < t->count; i++) {
		free(t->series[i].screen);
		free(t->series[i].point);
		free(t->series[i].level);
		free(t->series[i].mark);
	}
	for (size_t i = 0; t->ids && i < t->runs; i++)
		free(t->ids[i]);
	free(t->ids);
	free(t->series);
	free(t->run);
	*t = (struct trend){.json = NULL};
}

size_t
trend_used_before(const struct trend_series *s, size_t end)
{
	while (end-- > 0) {
		if (!s->point[end].unused)
			return end;
	}
	return SIZE_MAX;
}

const struct trend_level *
trend_level_of(const struct trend_series *s, size_t point)
{
	for (size_t i = s->levels; i-- > 0;) {
		if (s->level[i].from <= point)
			return &s->level[i];
	}
	return NULL;
}

const struct trend_level *
trend_level_before(const struct trend_series *s, size_t point)
{
	const struct trend_level *l = trend_level_of(s, point);

	return l && l > s->level ? l - 1 : NULL;
}

const struct trend_mark *
trend_last_change(const struct trend_series *s, size_t since)
{
	for (size_t i = s->marks; i-- > 0;) {
		const struct trend_mark *m = &s->mark[i];

		if (m->kind == TREND_SUSPECT)
			continue;
		return s->point[m->seen].run >= since ? m : NULL;
	}
	return NULL;
}

const struct trend_mark *
trend_suspect(const struct trend *t, const struct trend_series *s)
{
	for (size_t i = s->marks; i-- > 0;) {
		const struct trend_mark *m = &s->mark[i];

		if (m->kind == TREND_SUSPECT &&
		    s->point[m->point].run + 1 == t->runs)
			return m;
	}
	return NULL;
}
