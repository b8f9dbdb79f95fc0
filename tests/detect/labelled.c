#include "tests/detect/labelled.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

static enum labelled_group
group_of(const char *name)
{
	static const struct {
		const char *name;
		enum labelled_group group;
	} known[] = {
		{"inj_control", LABELLED_CONTROL},
		{"inj_step", LABELLED_STEP},
		{"inj_creep", LABELLED_CREEP},
		{"mozilla", LABELLED_MOZILLA},
		{"ghbench", LABELLED_HISTORY},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strcmp(known[i].name, name) == 0)
			return known[i].group;
	}
	return LABELLED_OTHER;
}

static void
read_truths(struct labelled *l, const cJSON *v)
{
	const cJSON *list = json_get(v, "consensus"), *labels, *t;

	labels = json_get(v, "labels");
	if (cJSON_IsObject(labels))
		list = labels->child; /* one annotator */
	cJSON_ArrayForEach(t, list)
	{
		if (l->truth_count < LABELLED_TRUTHS && cJSON_IsNumber(t))
			l->truth[l->truth_count++] = (size_t)t->valuedouble;
	}
}

static int
read_one(struct labelled *l, const char *path, struct err *err)
{
	AUTO_JSON cJSON *v = NULL;

	*l = (struct labelled){0};
	if (json_read_file(path, SERIES_FILE_MAX, &v, err) ||
	    series_read(&l->series, path, err))
		return -1;
	l->group = group_of(json_str(v, "group", ""));
	l->to_noise = json_num(v, "snr", 0);
	l->rate = json_num(v, "rate", 0);
	l->length = (size_t)json_int(v, "length", 0);
	read_truths(l, v);
	return 0;
}

int
labelled_read(const char *dir, struct labelled **out, size_t *count,
	      struct err *err)
{
	AUTO_FREE char *pattern = mem_fmt("%s/*.json", dir);
	glob_t found;
	int rc = 0;

	*out = NULL;
	*count = 0;
	if (glob(pattern, 0, NULL, &found))
		return err_set(err, ERR_NOTFOUND, "no series in '%s'", dir);
	*out = mem_array(found.gl_pathc, sizeof(**out));
	for (size_t i = 0; i < found.gl_pathc && rc == 0; i++) {
		rc = read_one(&(*out)[i], found.gl_pathv[i], err);
		*count += rc == 0;
	}
	globfree(&found);
	if (rc) {
		labelled_done(*out, *count);
		*out = NULL;
	}
	return rc;
}

void
labelled_done(struct labelled *l, size_t count)
{
	for (size_t i = 0; i < count; i++)
		series_done(&l[i].series);
	free(l);
}
