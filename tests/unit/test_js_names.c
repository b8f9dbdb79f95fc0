#include "plan/js_names.h"

#include <string.h>

#include "base/buf.h"
#include "tests/unit/check.h"

static void
is(const char *code, const char *wanted)
{
	AUTO_BUF struct buf b = BUF_INIT;
	struct js_names n;

	js_names_scan(code, &n);
	for (size_t i = 0; i < n.count; i++)
		buf_fmt(&b, "%s%s%s", i ? " " : "", n.item[i],
			n.called[i] ? "()" : "");
	js_names_done(&n);
	CHECK_STR(b.data, wanted);
}

static void
chains_of_the_game_are_found(void)
{
	is("Perf.Capture.Start({frame_ms}, {gc_bytes})",
	   "Perf.Capture.Start()");
	is("Nav.top() === 'Shop'", "Nav.top()");
	is("Cheat.winBattle(); Cheat.winBattle()", "Cheat.winBattle()");
	is("new n.Thing(); CS.UnityEngine.Time . frameCount",
	   "n.Thing() CS.UnityEngine.Time.frameCount");
	is("go()", "go()");
}

static void
what_the_code_declares_is_its_own(void)
{
	is("var a = 1, b = Game.x; let c; const d = 2; a + b + c + d",
	   "Game.x");
	is("(function (x, y) { return x.p + y; })(Game)", "Game");
	is("function f(q) { return q.z; } f(1)", "");
	is("list.map(x => x.y); all.map((p, q) => p.r + q.s)",
	   "list.map() all.map()");
	is("try { go(); } catch (e) { e.message; }", "go()");
	is("late = Game.y; late.z", "Game.y");
	is("use(v); var v = 1", "use()");
}

static void
what_javascript_has_is_not_the_games(void)
{
	is("Math.max(1, 2) + JSON.stringify(args) + parseInt('3', 10)", "");
	is("if (true) { throw new Error('x'); } else { return null; }", "");
}

static void
text_and_keys_hold_no_names(void)
{
	is("'a.b' + \"c.d\" + `e.f` // g.h\n/* i.j */", "");
	is("({key: Game.a, other: 1})", "Game.a");
	is("x.replace(/Foo.bar[/]/g, 'y')", "x.replace()");
	is("a.b / c.d / e", "a.b c.d e");
	is("1.5e3 + 0x1f", "");
}

static void
guarded_and_assigned_names_need_not_be_there(void)
{
	is("typeof Perhaps === 'undefined'", "");
	is("p.logFile = {files} + '/x'", "p");
}

static void
any_code_comes_to_an_end(void)
{
	is("'", "");
	is("/", "");
	is("`${", "");
	is("a.", "a");
	is("((((", "");
	is("/*", "");
}

CHECK_MAIN(CHECK_CASE("chains of the game are found",
		      chains_of_the_game_are_found),
	   CHECK_CASE("what the code declares is its own",
		      what_the_code_declares_is_its_own),
	   CHECK_CASE("what JavaScript has is not the game's",
		      what_javascript_has_is_not_the_games),
	   CHECK_CASE("text and keys hold no names",
		      text_and_keys_hold_no_names),
	   CHECK_CASE("guarded and assigned names need not be there",
		      guarded_and_assigned_names_need_not_be_there),
	   CHECK_CASE("any code comes to an end", any_code_comes_to_an_end), )
