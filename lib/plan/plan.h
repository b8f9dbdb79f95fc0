#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "base/err.h"
#include "base/yaml.h"

/*
 * The plan: the screen graph of a game and what to measure, read from YAML
 * with every default filled in and every name resolved to an index.
 *
 * Everything in a struct plan lives as long as the plan and belongs to it;
 * plan_free() frees all.  It does not change after plan_load().
 * Strings may be NULL where a key is optional and was left out.
 */

struct plan_pos {
	int line, col; /* from 1; 0 when the thing stands in no file */
};

/* What can be asked about the game or the phone. */
enum plan_pred_kind {
	PLAN_PRED_NAV,
	PLAN_PRED_SCENE,
	PLAN_PRED_OBJECT,
	PLAN_PRED_TEXT,
	PLAN_PRED_JS,
	PLAN_PRED_ACTIVITY,	  /* answered by the phone */
	PLAN_PRED_ANDROID_DIALOG, /* "anr", "crash", "permission" */
	PLAN_PRED_ALL,
	PLAN_PRED_ANY,
	PLAN_PRED_NOT,
};

enum plan_tri { PLAN_UNSET = -1, PLAN_NO = 0, PLAN_YES = 1 };

struct plan_pred {
	enum plan_pred_kind kind;
	struct plan_pos at;
	const char *value; /* of the leaves; {name} not yet replaced */
	enum plan_tri visible, interactable; /* object */
	int64_t object_count;		     /* object; -1: not asked */
	struct plan_pred *item;		     /* all, any; one for not */
	size_t count;
};

/* Who can answer a predicate. */
enum plan_where {
	PLAN_IN_APP = 1,   /* the control server */
	PLAN_ON_PHONE = 2, /* adb */
	PLAN_MIXED = 3,	   /* evaluate the leaves one by one */
};

enum plan_action_kind {
	PLAN_TAP,
	PLAN_LONG_PRESS,
	PLAN_TEXT,
	PLAN_KEY,
	PLAN_SWIPE,
	PLAN_JS,
	PLAN_CALL,
	PLAN_ACTION, /* a delegate that the app registered */
	PLAN_WAIT,
	PLAN_SLEEP,
	PLAN_ANDROID,
	PLAN_INTENT,
	PLAN_PULL,
	PLAN_STOP,
	PLAN_PROCEDURE,
};

/* An object of the game: by "path", "name", "text", "component" or "id". */
struct plan_target {
	const char *by;	   /* static; NULL: none given */
	const char *value; /* {name} not yet replaced */
	int64_t index;	   /* among several; -1: must be the only one */
};

enum plan_android { PLAN_ALLOW, PLAN_DENY, PLAN_WAIT_ON, PLAN_CLOSE };

struct plan_action {
	enum plan_action_kind kind;
	struct plan_pos at;
	const char *path;    /* "transitions[3].do[1]", for messages */
	int64_t timeout_ms;  /* resolved */
	bool idempotent;     /* js and call may be repeated only when set;
				   true for kinds that are safe anyway */
	const cJSON *expect; /* fields of the answer, or NULL */
	/*
	 * TEXT: what to type.  KEY: "BACK".  JS: the code (read from its
	 * file when it has one).  CALL: the method.  ACTION: the name.
	 * INTENT: the action.  PULL: path on the phone.  STOP: the reason.
	 * PROCEDURE: its name.
	 */
	const char *value;
	struct plan_target target;   /* tap, long_press, text, swipe's start */
	int64_t duration_ms;	     /* long_press, swipe, sleep */
	double from[2], to[2];	     /* swipe: parts of the screen, 0..1 */
	bool submit;		     /* text */
	const char *file;	     /* js: its file as written, or NULL */
	const char *type, *assembly; /* call */
	const cJSON *args;	     /* call, action: array or object, or NULL;
				   see plan_vars_args() */
	const cJSON *arg_types;	     /* call: array of strings or NULL */
	const char *call_target;     /* call on an instance, or NULL */
	const struct plan_pred *until; /* wait */
	enum plan_android android;
	const char *data, *package; /* intent */
	const cJSON *extras;	    /* intent: object of strings, or NULL */
	const char *to_path;	    /* pull: name below the output, or NULL */
	int procedure;		    /* index, else -1 */
};

struct plan_actions {
	struct plan_action *item;
	size_t count;
};

enum plan_click { PLAN_CLICK_RAYCAST, PLAN_CLICK_EVENT, PLAN_CLICK_ADB };
enum plan_when_kept { PLAN_NEVER, PLAN_ON_FAILURE, PLAN_ALWAYS };
enum plan_snapshot { PLAN_FIRST_VISIT, PLAN_EACH_VISIT, PLAN_NO_SNAPSHOT };
enum plan_busy { PLAN_BUSY_SKIP, PLAN_BUSY_FAIL, PLAN_BUSY_WAIT };
enum plan_unreachable { PLAN_UNREACHABLE_SKIP, PLAN_UNREACHABLE_FAIL };

/* Bits of fail_on. */
enum plan_fail_on {
	PLAN_FAIL_CRASH = 1,
	PLAN_FAIL_NOT_MEASURED = 2,
	PLAN_FAIL_UNREACHED = 4,
	PLAN_FAIL_REGRESSION = 8,
	PLAN_FAIL_TIMED_OUT = 16,
};

struct plan_settle {
	bool nav_idle;
	int64_t stable_ms; /* stable_for */
	int64_t stable_frames;
	int64_t timeout_ms;
};

struct plan_evidence {
	enum plan_when_kept screenshot; /* true: always, false: never */
	enum plan_when_kept hierarchy;
};

struct plan_pair {
	const char *key, *value;
	struct plan_pos at;
};

struct plan_pairs {
	struct plan_pair *item;
	size_t count;
};

struct plan_strings {
	const char **item;
	size_t count;
};

enum plan_op { PLAN_EQ, PLAN_NE, PLAN_LT, PLAN_LE, PLAN_GT, PLAN_GE };

/* A field of STF's device record and what it must be. */
struct plan_match {
	const char *field;
	enum plan_op op;   /* an order compares numbers */
	const char *value; /* whole and case-insensitive */
	size_t candidate;  /* it belongs to the nth map of `match`, from 0 */
	struct plan_pos at;
};

struct plan_ssh {
	bool used, agent;
	const char *host, *user, *known_hosts, *key; /* NULL: not given */
	int port;
};

/* What does a measurement: nothing, a built-in, or a procedure. */
enum plan_hook_kind { PLAN_HOOK_NONE, PLAN_HOOK_USE, PLAN_HOOK_PROCEDURE };
enum plan_builtin {
	PLAN_UNITY_PROFILER,
	PLAN_UNITY_SNAPSHOT,
	PLAN_UNITY_GRAPHICS_STATES,
	PLAN_UNITY_NAV,
};

struct plan_hook {
	enum plan_hook_kind kind;
	enum plan_builtin use;
	int procedure; /* index, else -1 */
	struct plan_pos at;
};

/* Where the frames of a whole raw log are chosen. */
enum plan_filter {
	PLAN_FILTER_APP, /* by the app itself, or not at all */
	PLAN_FILTER_DEVICE,
	PLAN_FILTER_HOST,
};

struct plan_measure {
	struct {
		bool used;
		struct plan_hook start, stop;
		enum plan_filter filter;
		struct plan_strings exclude; /* threads; empty: the usual */
		bool busy;		     /* time without waits */
		int64_t around;		     /* neighbours kept, too */
		int64_t segment_ms;	     /* age of a file of the log */
		int64_t frame_time_ms, gc_alloc_bytes, max_output_bytes;
		const char *gc_counter; /* {files}/... or NULL */
	} profiler;
	struct {
		bool used;
		struct plan_hook take;
	} snapshot;
	struct {
		bool used;
		struct plan_hook start, stop; /* the same `use` in both */
		const char *pull;	      /* {files}/... or NULL */
		const char *base;	      /* file to merge into; NULL */
	} graphics_states;
	struct plan_hook metadata; /* once, right after the app answers */
	struct plan_hook nav;	   /* use: unity.nav, or none */
};

struct plan_procedure {
	const char *name;
	struct plan_pos at;
	struct plan_actions actions;
};

struct plan_screen {
	const char *name;
	struct plan_pos at;
	const struct plan_pred *is; /* NULL only on screens never visited */
	int64_t hold_ms;
	struct plan_settle settle;
	struct plan_evidence evidence;
	enum plan_snapshot snapshot;
	int64_t timeout_ms; /* to see it after an action */
	bool visited;	    /* in route.visit */
};

enum { PLAN_ANY_SCREEN = -1 };

enum plan_origin {
	PLAN_FROM_TRANSITIONS, /* a line of `transitions` */
	PLAN_FROM_BACK,	       /* screens.X.back */
};

/*
 * One transition.  A list in `from` gives one for each screen.  "*" stays one
 * whose from is PLAN_ANY_SCREEN, since ten thousand copies would say nothing
 * more: it leads from every screen but `to` and those of `except`.
 * The index in plan.transition is its number, in file order.
 */
struct plan_transition {
	int from, to;	   /* indexes of screens */
	const int *except; /* sorted; only with "*" */
	size_t except_count;
	struct plan_actions actions;
	int64_t timeout_ms;
	int64_t retries;
	int64_t cost;
	const struct plan_pred *when; /* NULL: always */
	bool disabled;		      /* kept for its number, never walked */
	enum plan_origin origin;
	struct plan_pos at;
	const char *path; /* "transitions[3]", "screens.party.back" */
};

struct plan_interrupt {
	const char *name;
	struct plan_pos at;
	const struct plan_pred *when;
	struct plan_actions actions;
	int64_t max;	    /* times a run */
	const char *record; /* a word for the result, or NULL */
};

struct plan {
	const char *file; /* as given to plan_load */
	char sha256[65];  /* of the file's bytes, hexadecimal */
	struct {
		const char *title, *owner;
		struct plan_pairs all; /* title and owner too */
	} meta;
	struct {
		const char *package, *activity; /* NULL: read from the APK */
		struct plan_pairs extras;
		struct plan_strings grant;
	} app;
	struct {
		const char *name; /* NULL: the only one of the run */
		const char *apk;  /* glob, "*.apk" */
	} artifact;
	struct {
		const char *stf; /* NULL: STF_URL */
		struct plan_ssh ssh;
	} farm;
	const char *store; /* URL, or NULL */
	struct {
		struct plan_match *match; /* by candidate */
		size_t match_count;
		size_t candidates; /* maps in `match`; the first is preferred */
		struct plan_strings serial;
		enum plan_busy when_busy;
		int64_t wait_ms; /* with PLAN_BUSY_WAIT */
		int64_t reserve_ms;
	} device;
	struct {
		const char *protocol; /* "auto", "pcp" */
		int port;
		int64_t timeout_ms;
	} connect;
	struct {
		int64_t deadline_ms, stop_margin_ms;
		int64_t max_restarts, max_transition_failures;
		int64_t confirm; /* walks more of what is suspect */
		enum plan_unreachable unreachable;
	} limits;
	unsigned fail_on;
	struct {
		int64_t timeout_ms, retries, hold_ms;
		enum plan_click click;
		struct plan_settle settle;
		struct plan_evidence evidence;
		enum plan_snapshot snapshot;
	} defaults;
	struct plan_measure measure;
	struct plan_procedure *procedure;
	size_t procedure_count;
	struct plan_actions setup, teardown, escape;
	struct plan_screen *screen;
	size_t screen_count;
	struct plan_transition *transition;
	size_t transition_count;
	struct {
		int start;
		int *visit;
		size_t visit_count;
		struct plan_pos at;
	} route;
	struct plan_interrupt *interrupt;
	size_t interrupt_count;
	struct yaml_complaints warnings;
	struct plan_mem *mem; /* private */
};

/*
 * Read, resolve and check.  `c` is initialised by the call and holds the
 * complaints; the caller ends it with yaml_complaints_done() in every case.
 * ERR_INPUT with reason "bad_plan": the file has faults, all in `c`, and the
 * error's message is the first of them and how many more there are.
 * `c->file` borrows `path`.
 */
int plan_load(const char *path, struct plan **out, struct yaml_complaints *c,
	      struct err *err);
/* The same from memory; files it names are looked up beside `path`. */
int plan_load_text(const char *path, const char *text, size_t len,
		   struct plan **out, struct yaml_complaints *c,
		   struct err *err);
void plan_free(struct plan *plan);

/* Index of a screen, or -1. */
int plan_screen_index(const struct plan *plan, const char *name);
/* Does this transition lead away from `screen`? (disabled ones: no) */
bool plan_leaves(const struct plan_transition *t, int screen);
/*
 * Another set of visits, for --visit: replaces route.visit.  ERR_USAGE names
 * the nearest screen; a screen that can't be recognised or reached is told.
 */
int plan_set_visits(struct plan *plan, const char *const *names, size_t count,
		    struct err *err);
/* This phone alone, whatever the file says. */
void plan_set_serial(struct plan *plan, const char *serial);
/* "tap", "js", ...; "tap //Footer/Party" for people (free() it). */
const char *plan_action_name(enum plan_action_kind kind);
char *plan_action_text(const struct plan_action *a);
const char *plan_builtin_name(enum plan_builtin b);

struct plan_vars;

enum plan_where plan_pred_where(const struct plan_pred *p);
/*
 * The `cond` of PCP's `wait`; {name} is replaced from `vars` (NULL: nothing
 * is known).  Only for predicates that the app answers.
 */
int plan_pred_json(const struct plan_pred *p, const struct plan_vars *vars,
		   cJSON **out, struct err *err);
/* "nav HomePage", "all of (…)", for people; free() it. */
char *plan_pred_text(const struct plan_pred *p);

#endif
