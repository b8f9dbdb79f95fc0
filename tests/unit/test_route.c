#include "plan/route.h"

#include <time.h>

#include "base/mem.h"
#include "check.h"

static struct yaml_complaints c;

static struct plan *
load(const char *text)
{
	struct err err = ERR_INIT;
	struct plan *plan = NULL;

	if (plan_load_text("t.yaml", text, strlen(text), &plan, &c, &err))
		printf("# %s\n", err.msg);
	yaml_complaints_done(&c);
	return plan;
}

/* "0 2 R": the numbers of a path, from and to checked on the way. */
static void
numbers(const struct route_path *p, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; i < p->count; i++) {
		if (i)
			buf_chr(out, ' ');
		if (p->step[i].transition == ROUTE_RESTART)
			buf_chr(out, 'R');
		else
			buf_fmt(out, "%d", p->step[i].transition);
		if (i && p->step[i].from != p->step[i - 1].to)
			buf_str(out, "(gap)");
	}
}

/* --- the slow and simple way, to compare with --- */

enum { MAX_N = 9, MAX_HOPS = 40 };

struct key {
	bool known;
	int64_t cost;
	int hops;
	unsigned seq[MAX_HOPS];
};

static int
compare(const struct key *a, const struct key *b)
{
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	if (a->hops != b->hops)
		return a->hops < b->hops ? -1 : 1;
	for (int i = 0; i < a->hops; i++) {
		if (a->seq[i] != b->seq[i])
			return a->seq[i] < b->seq[i] ? -1 : 1;
	}
	return 0;
}

static bool
relax(struct key *best, int u, int v, unsigned number, int64_t cost)
{
	struct key k = best[u];

	if (!k.known || k.hops + 1 >= MAX_HOPS)
		return false;
	k.cost += cost;
	k.seq[k.hops++] = number;
	if (best[v].known && compare(&best[v], &k) <= 0)
		return false;
	best[v] = k;
	return true;
}

static bool
blocked_at(const struct route_block *b, size_t n, int t, int from)
{
	for (size_t i = 0; i < n; i++) {
		if (b[i].transition == t && b[i].from == from)
			return true;
	}
	return false;
}

static bool
slow_find(const struct plan *p, int from, int to, const struct route_block *b,
	  size_t blocks, bool restart, struct buf *out, int64_t *cost)
{
	struct key best[MAX_N] = {0};
	bool changed = true;

	best[from].known = true;
	while (changed) {
		changed = false;
		for (int u = 0; u < (int)p->screen_count; u++) {
			for (size_t t = 0; t < p->transition_count; t++) {
				const struct plan_transition *e =
					&p->transition[t];

				if (plan_leaves(e, u) &&
				    !blocked_at(b, blocks, (int)t, u))
					changed |= relax(best, u, e->to,
							 (unsigned)t, e->cost);
			}
			if (restart)
				changed |=
					relax(best, u, p->route.start,
					      UINT32_MAX, ROUTE_RESTART_COST);
		}
	}
	buf_clear(out);
	for (int i = 0; i < best[to].hops; i++) {
		if (i)
			buf_chr(out, ' ');
		if (best[to].seq[i] == UINT32_MAX)
			buf_chr(out, 'R');
		else
			buf_fmt(out, "%u", best[to].seq[i]);
	}
	*cost = best[to].cost;
	return best[to].known;
}

static unsigned seed;

static int
dice(int n)
{
	seed = seed * 1664525u + 1013904223u;
	return (int)((seed >> 8) % (unsigned)n);
}

/* A transition between two of n screens, or from all. */
static void
random_transition(struct buf *b, int n)
{
	int to = dice(n);

	if (dice(4) == 0) {
		buf_fmt(b, "  - {from: \"*\", to: s%d, key: A, except: [", to);
		for (int i = 0; i < n; i++) {
			if (dice(3) == 0)
				buf_fmt(b, "s%d, ", i);
		}
		buf_fmt(b, "], cost: %d}\n", dice(5));
	} else {
		buf_fmt(b, "  - {from: s%d, to: s%d, key: A, cost: %d}\n",
			dice(n), to, dice(4));
	}
}

static struct plan *
random_plan(int n)
{
	AUTO_BUF struct buf b = BUF_INIT;
	int edges = n + dice(2 * n + 1);

	buf_str(&b, "patrol: 1\nscreens:\n");
	for (int i = 0; i < n; i++)
		buf_fmt(&b, "  s%d: {is: {nav: S%d}}\n", i, i);
	buf_str(&b, "transitions:\n");
	/* Everything can be reached, else there is no plan. */
	for (int i = 1; i < n; i++)
		buf_fmt(&b, "  - {from: s%d, to: s%d, key: A, cost: %d}\n",
			dice(i), i, 2 + dice(4));
	for (int i = 0; i < edges; i++)
		random_transition(&b, n);
	buf_str(&b, "route: {start: s0, visit: [s0]}\n");
	return load(b.data);
}

static void
compare_all(const struct plan *plan, int n)
{
	AUTO_BUF struct buf fast = BUF_INIT;
	AUTO_BUF struct buf slow = BUF_INIT;
	struct route_map *map = route_map_new(plan);
	struct route_path path = {0};
	struct route_block block[4];

	for (int i = 0; i < n * n; i++) {
		int from = i / n, to = i % n;
		size_t blocks = (size_t)dice(5);
		bool restart = dice(2), found, exists;
		struct err err = ERR_INIT;
		int64_t cost;

		for (size_t k = 0; k < blocks; k++)
			block[k] = (struct route_block){
				dice((int)plan->transition_count), dice(n)};
		exists = slow_find(plan, from, to, block, blocks, restart,
				   &slow, &cost);
		found = route_find(map, from, to, block, blocks,
				   restart ? ROUTE_MAY_RESTART
					   : ROUTE_NO_RESTART,
				   &path, &err) == 0;
		CHECK(found == exists);
		numbers(&path, &fast);
		if (found && exists) {
			CHECK_STR(fast.data, slow.data);
			CHECK(path.cost == cost);
		}
	}
	route_path_done(&path);
	route_map_free(map);
}

static void
same_as_the_simple_way(void)
{
	for (seed = 1; seed < 2000000;) {
		unsigned next = seed + 1000;
		int n = 2 + dice(MAX_N - 2);
		struct plan *plan = random_plan(n);

		REQUIRE(plan);
		compare_all(plan, n);
		plan_free(plan);
		if (check_failed_) {
			printf("# seed %u\n", next - 1000);
			return;
		}
		seed = next;
	}
}

/* --- the example of the manual --- */

static const char example[] =
	"patrol: 1\n"
	"screens:\n"
	"  title: {is: {scene: Title}}\n"
	"  home: {is: {nav: HomePage}}\n"
	"  party: {is: {nav: PartyPage}, back: {tap: //Back, to: home}}\n"
	"  unit: {is: {nav: Unit}, back: {key: BACK, to: party}}\n"
	"  shop: {is: {nav: ShopPage}, back: {key: BACK, to: home}}\n"
	"transitions:\n"
	"  - {from: title, to: home, tap: //Start}\n"
	"  - {from: home, to: party, tap: //Party}\n"
	"  - {from: party, to: unit, tap: //Cell}\n"
	"  - {from: \"*\", to: shop, js: \"Nav.push('Shop')\", cost: 5,\n"
	"     except: [title]}\n"
	"route: {start: title, visit: [title, unit, unit, home]}\n";

static void
visits_in_file_order(void)
{
	AUTO_BUF struct buf text = BUF_INIT;
	struct plan *plan = load(example);
	struct err err = ERR_INIT;
	struct route route;

	REQUIRE(plan);
	REQUIRE(route_compute(plan, &route, &err) == 0);
	numbers(&route.path, &text);
	/* 0 to 2 are the way back, since screens stand first. */
	CHECK_STR(text.data, "3 4 5 1 0");
	REQUIRE(route.visit_count == 4);
	CHECK(route.visit[0].count == 0);
	CHECK(route.visit[1].first == 0 && route.visit[1].count == 3);
	CHECK(route.visit[2].count == 0);
	CHECK(route.visit[3].first == 3 && route.visit[3].count == 2);
	CHECK(strlen(route.hash) == 12);
	buf_clear(&text);
	route_text(plan, &route, &text);
	CHECK_HAS(text.data, "title -> home  tap //Start");
	CHECK_HAS(text.data, route.hash);
	route_done(&route);
	plan_free(plan);
}

static void
broken_transition_detours(void)
{
	AUTO_BUF struct buf text = BUF_INIT;
	struct plan *plan = load(example);
	struct route_map *map;
	struct route_path path = {0};
	struct err err = ERR_INIT;
	struct route_block broken[] = {{0, 2}, {6, 2}};

	REQUIRE(plan);
	map = route_map_new(plan);
	CHECK(route_find(map, 2, 1, broken, 1, ROUTE_NO_RESTART, &path, &err) ==
	      0);
	numbers(&path, &text);
	CHECK_STR(text.data, "6 2");
	CHECK(route_find(map, 2, 1, broken, 2, ROUTE_MAY_RESTART, &path,
			 &err) == 0);
	numbers(&path, &text);
	/* Blocked from party alone: from unit the same way is open. */
	CHECK_STR(text.data, "5 6 2");
	CHECK(route_find(map, ROUTE_UNKNOWN, 1, NULL, 0, ROUTE_MAY_RESTART,
			 &path, &err) == 0);
	numbers(&path, &text);
	CHECK_STR(text.data, "R 3");
	CHECK(path.cost == 1001);
	CHECK(route_find(map, 1, 0, NULL, 0, ROUTE_NO_RESTART, &path, &err) ==
	      -1);
	CHECK(err.code == ERR_NOTFOUND);
	CHECK_STR(err.msg, "no way from 'home' to 'title'");
	route_path_done(&path);
	route_map_free(map);
	plan_free(plan);
}

static void
hash_of(const char *text, char out[13])
{
	struct plan *plan = load(text);
	struct err err = ERR_INIT;
	struct route route;

	out[0] = '\0';
	REQUIRE(plan);
	REQUIRE(route_compute(plan, &route, &err) == 0);
	memcpy(out, route.hash, 13);
	route_done(&route);
	plan_free(plan);
}

static void
hash_follows_the_route_alone(void)
{
	AUTO_BUF struct buf more = BUF_INIT;
	AUTO_BUF struct buf other = BUF_INIT;
	const char *route = strstr(example, "route:");
	char a[13], b[13], d[13];

	buf_add(&more, example, (size_t)(route - example));
	buf_str(&more, "  - {from: shop, to: unit, key: X, cost: 9}\n");
	buf_str(&more, route);
	buf_add(&other, example, (size_t)(route - example));
	buf_str(&other, "  - {from: home, to: unit, key: X}\n");
	buf_str(&other, route);
	hash_of(example, a);
	hash_of(more.data, b);
	hash_of(other.data, d);
	CHECK_STR(a, b);
	CHECK(strcmp(a, d) != 0);
}

static double
seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Every screen can be jumped to from everywhere: 3000 x 3000 copies. */
static void
many_wildcards_stay_small(void)
{
	AUTO_BUF struct buf b = BUF_INIT;
	double begin = seconds();
	struct plan *plan;
	struct route route;
	struct err err = ERR_INIT;

	buf_str(&b, "patrol: 1\nscreens:\n");
	for (int i = 0; i < 3000; i++)
		buf_fmt(&b, "  s%d: {is: {nav: S%d}}\n", i, i);
	buf_str(&b, "transitions:\n");
	for (int i = 0; i < 3000; i++)
		buf_fmt(&b,
			"  - {from: \"*\", to: s%d, js: \"go(%d)\", "
			"except: [s%d]}\n",
			i, i, (i + 7) % 3000);
	buf_str(&b, "route: {start: s0, visit: [");
	for (int i = 0; i < 3000; i++)
		buf_fmt(&b, "s%d, ", i * 7 % 3000);
	buf_str(&b, "]}\n");
	plan = load(b.data);
	REQUIRE(plan);
	REQUIRE(route_compute(plan, &route, &err) == 0);
	CHECK(route.path.cost == (int64_t)route.path.count);
	route_done(&route);
	plan_free(plan);
	CHECK(seconds() - begin < 5);
}

static void
json_has_every_step(void)
{
	struct plan *plan = load(example);
	struct err err = ERR_INIT;
	struct route route;
	cJSON *o;
	char *text;

	REQUIRE(plan);
	REQUIRE(route_compute(plan, &route, &err) == 0);
	o = route_json(plan, &route);
	text = cJSON_PrintUnformatted(o);
	CHECK_HAS(text, "\"path\":\"transitions[0]\"");
	CHECK_HAS(text, "\"path\":\"screens.unit.back\"");
	CHECK_HAS(text, "\"screen\":\"home\"");
	cJSON_free(text);
	cJSON_Delete(o);
	route_done(&route);
	plan_free(plan);
}

CHECK_MAIN(CHECK_CASE("paths are those of the simple way, ties and all",
		      same_as_the_simple_way),
	   CHECK_CASE("visits are made in file order", visits_in_file_order),
	   CHECK_CASE("a broken transition is detoured from its screen alone",
		      broken_transition_detours),
	   CHECK_CASE("the hash follows the route and nothing else",
		      hash_follows_the_route_alone),
	   CHECK_CASE("thousands of wildcards do not multiply",
		      many_wildcards_stay_small),
	   CHECK_CASE("the JSON has every step", json_has_every_step), )
