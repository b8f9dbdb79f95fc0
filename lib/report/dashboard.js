"use strict";
/* Walks the values of a chart by the pointer and the arrow keys. */
(function () {
	function chart(area) {
		var c = area.chart;
		if (c)
			return c;
		c = area.chart = {at: -1, said: document.createElement("output"),
			points: area.querySelectorAll("g.p")};
		c.said.className = "readout";
		area.parentNode.insertAdjacentElement("afterend", c.said);
		return c;
	}
	function show(area, at) {
		var c = chart(area), n = c.points.length;
		if (n === 0)
			return;
		at = Math.max(0, Math.min(n - 1, at));
		if (c.at >= 0)
			c.points[c.at].classList.remove("on");
		c.at = at;
		c.points[at].classList.add("on");
		c.said.textContent = c.points[at].querySelector("title").textContent;
		area.setAttribute("aria-valuenow", at + 1);
		area.setAttribute("aria-valuetext", c.said.textContent);
	}
	function near(area, x) {
		var points = chart(area).points, best = 0, least = Infinity;
		for (var i = 0; i < points.length; i++) {
			var box = points[i].firstElementChild.nextElementSibling
				.getBoundingClientRect();
			var d = Math.abs(box.left + box.width / 2 - x);
			if (d < least) {
				least = d;
				best = i;
			}
		}
		return best;
	}
	/* What a link leads to may be in a part that is folded. */
	function unfold() {
		var to = document.getElementById(location.hash.slice(1));
		var part = to && to.closest("details.onekey");
		if (part && !part.open) {
			part.open = true;
			to.scrollIntoView();
		}
	}
	window.addEventListener("hashchange", unfold);
	unfold();
	document.querySelectorAll(".area").forEach(function (area) {
		var n = area.querySelectorAll("g.p").length;
		area.tabIndex = 0;
		area.setAttribute("role", "slider");
		area.setAttribute("aria-label",
			area.querySelector("svg").getAttribute("aria-label"));
		area.setAttribute("aria-valuemin", 1);
		area.setAttribute("aria-valuemax", n);
		area.setAttribute("aria-valuenow", n);
		area.addEventListener("focus", function () {
			var c = chart(area);
			show(area, c.at < 0 ? c.points.length - 1 : c.at);
		});
		area.addEventListener("pointermove", function (e) {
			show(area, near(area, e.clientX));
		});
		area.addEventListener("keydown", function (e) {
			var c = chart(area), n = c.points.length;
			var to = {ArrowLeft: c.at - 1, ArrowDown: c.at - 1,
				ArrowRight: c.at + 1, ArrowUp: c.at + 1,
				PageDown: c.at - 10, PageUp: c.at + 10,
				Home: 0, End: n - 1}[e.key];
			if (to === undefined || e.ctrlKey || e.altKey || e.metaKey)
				return;
			e.preventDefault();
			show(area, to);
		});
	});
}());
