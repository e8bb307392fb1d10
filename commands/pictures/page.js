
"use strict";
// A page of a scene and a run: playback over the drawing, the scene as a tree, and what the record says.
// Every text of the data becomes a text node; nothing here makes markup of a text, loads or sends anything.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const nodes = data.nodes;
  const number = new Map(nodes.id.map((id, i) => [id, i]));
  const tracks = data.tracks || [];
  const state = { track: 0, step: 0, node: -1 };
  let playing = 0;

  function element(tag, options = {}, ...inside) {
    const made = document.createElement(tag);
    for (const [key, value] of Object.entries(options)) {
      if (key === "click") made.addEventListener("click", value);
      else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...inside.filter((one) => one !== "" && one !== null && one !== undefined));
    return made;
  }

  function shape(tag, options) {
    const made = document.createElementNS(SVG, tag);
    for (const [key, value] of Object.entries(options)) made.setAttribute(key, value);
    return made;
  }

  const link = (id) => (number.has(id)
    ? element("button", { class: "link", type: "button", click: () => select(number.get(id), true) }, id)
    : document.createTextNode(String(id)));

  // The drawing

  const drawing = document.querySelector("#map svg");
  const over = drawing.appendChild(shape("g", {}));
  drawing.addEventListener("click", (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(drawing.getScreenCTM().inverse());
    let best = -1, least = 24 * 24;
    for (const [id, [x, y]] of Object.entries(data.places)) {
      const away = (x - at.x) ** 2 + (y - at.y) ** 2;
      if (away < least) [best, least] = [number.get(id), away];
    }
    if (best >= 0) select(best, true);
  });

  function pointOf(i) {
    for (let above = i; above >= 0; above = nodes.parent[above]) {
      const place = data.places[nodes.id[above]];
      if (place) return place;
    }
    return null;
  }

  function drawOver(moment) {
    over.replaceChildren();
    if (moment && moment.way) drawWalk(moment);
    const chosen = state.node >= 0 && pointOf(state.node);
    if (chosen) ring(chosen, 13, "#1f2328", "4 3");
    for (const fact of moment && moment.unmet ? moment.unmet : [])
      for (const id of fact.nodes) {
        const place = number.has(id) && pointOf(number.get(id));
        if (place) ring(place, 18, "#b84a00", "none");
      }
    const robot = moment && (moment.way && moment.way[moment.way.length - 1] || number.has(moment.at) && pointOf(number.get(moment.at)));
    if (!robot) return;
    const [x, y] = robot;
    const points = `${x},${y - 14} ${x + 12},${y + 9} ${x - 12},${y + 9}`;
    over.append(shape("polygon", { points, fill: "#00775a", stroke: "#ffffff", "stroke-width": 2 }));
    keepInSight(over.lastElementChild);
    if (moment.held.length) {
      const words = shape("text", {
        x: x + 15, y: y + 5, "font-size": 13, "font-weight": "bold", fill: "#00775a", stroke: "#ffffff",
        "stroke-width": 4, "paint-order": "stroke", "stroke-linejoin": "round",
      });
      words.textContent = `holds ${moment.held.join(", ")}`;
      over.append(words);
    }
  }

  // A walk through a house: what was not seen yet is covered, and the way of this leg stands out.
  function drawWalk(moment) {
    const [x, y, width, height] = tracks[state.track].fog, sofar = moments().slice(0, state.step + 1);
    const holes = sofar.flatMap((one) => one.floor).map(([a, b, c, d]) => `M${a} ${b}h${c}v${d}h${-c}z`).join("");
    over.append(shape("path", { d: `M${x} ${y}h${width}v${height}h${-width}z${holes}`, fill: "#5f6b76", "fill-opacity": 0.62, "fill-rule": "evenodd", "shape-rendering": "crispEdges" }));
    const points = (some) => some.flatMap((one) => one.way).map((at) => at.join(",")).join(" ");
    over.append(shape("polyline", { points: points(sofar), fill: "none", stroke: "#0072b2", "stroke-width": 1.5, "stroke-dasharray": "2 3" }),
      shape("polyline", { points: points([moment]), fill: "none", stroke: "#0072b2", "stroke-width": 3 }));
  }

  function keepInSight(sign, frame = byId("floors")) {
    const a = sign.getBoundingClientRect(), b = frame.getBoundingClientRect();
    if (a.top < b.top || a.bottom > b.bottom) frame.scrollTop += a.top - b.top - b.height / 2;
    if (a.left < b.left || a.right > b.right) frame.scrollLeft += a.left - b.left - b.width / 2;
  }

  let zoom = 100;
  function zoomBy(factor) {
    zoom = Math.min(800, Math.max(100, zoom * factor));
    drawing.style.width = `${zoom}%`;
    if (over.lastElementChild) keepInSight(over.lastElementChild);
  }
  byId("larger").addEventListener("click", () => zoomBy(1.25));
  byId("smaller").addEventListener("click", () => zoomBy(0.8));

  function ring([x, y], r, stroke, dashes) {
    over.append(shape("circle", { cx: x, cy: y, r, fill: "none", stroke, "stroke-width": 2.5, "stroke-dasharray": dashes }));
  }

  // The scene as a tree, made as it is opened

  const below = nodes.id.map(() => []);
  const tops = [];
  nodes.parent.forEach((parent, i) => (parent >= 0 ? below[parent] : tops).push(i));
  const search = data.search || { opened: [], shown: [], subgraph: [] };
  const shown = new Set(search.shown);
  const chosen = search.subgraph.some((id) => shown.has(id)) && search.shown.some((id) => !search.subgraph.includes(id));
  const matters = new Set([...data.marked, ...data.answers, ...(chosen ? search.subgraph : [])]);
  const LEVELS = new Set(["campus", "building", "floor", "room", "pose", "agent"]);
  const firstSeen = new Map(Object.entries(data.seen || {}));
  const hidden = new Set(data.unseen || []);
  const unknown = (i) => hidden.has(nodes.type[i]) && !(firstSeen.get(nodes.id[i]) <= (state.track ? Infinity : state.step));
  const unseen = (i) => unknown(i) || shown.size > 0 && !shown.has(nodes.id[i]) && !LEVELS.has(nodes.type[i]);
  const items = new Map();
  const MOST = 400;
  let onlyShown = false;

  function treeItem(i) {
    const words = nodes.words[i];
    const note = [nodes.type[i] === "object" || nodes.type[i] === "part" ? nodes.relation[i] : "", words[1]];
    const count = below[i].length ? ` (${below[i].length})` : "";
    const classes = ["row", matters.has(nodes.id[i]) ? "matters" : "", unseen(i) ? "unseen" : ""].join(" ").trim();
    const row = element("span", { class: classes }, nodes.id[i],
      element("span", { class: "quiet" }, `${count} ${note.filter(Boolean).join(", ")}`));
    const item = element("li", { role: "treeitem", tabindex: "-1", "aria-selected": "false" }, row);
    if (below[i].length) item.setAttribute("aria-expanded", "false");
    row.addEventListener("click", () => { toggle(i); select(i); item.focus(); });
    item.dataset.node = i;
    items.set(i, item);
    return item;
  }

  const isPose = (i) => nodes.type[i] === "pose";
  const visible = (list) => {
    const some = onlyShown ? list.filter((i) => !unseen(i)) : list;
    return [...some.filter((i) => !isPose(i)), ...some.filter(isPose)];
  };

  function fill(place, list) {
    const some = visible(list);
    place.append(...some.slice(0, MOST).map(treeItem));
    if (some.length > MOST) place.append(element("li", { class: "quiet" }, `and ${some.length - MOST} more: find them by name`));
  }

  function toggle(i, open) {
    const item = items.get(i);
    if (!item || !below[i].length) return;
    const isOpen = item.getAttribute("aria-expanded") === "true";
    if (open === isOpen) return;
    item.setAttribute("aria-expanded", String(!isOpen));
    if (isOpen) {
      item.lastElementChild.remove();
      return;
    }
    const group = element("ul", { role: "group" });
    fill(group, below[i]);
    item.append(group);
  }

  function openAbove(i) {
    const chain = [];
    for (let above = nodes.parent[i]; above >= 0; above = nodes.parent[above]) chain.unshift(above);
    chain.forEach((above) => toggle(above, true));
  }

  function reveal(i) {
    openAbove(i);
    const item = items.get(i);
    if (item && item.isConnected) keepInSight(item.firstElementChild, byId("side"));
  }

  function makeTree() {
    items.clear();
    byId("tree").replaceChildren();
    fill(byId("tree"), tops);
    tops.forEach((i) => { if (nodes.type[i] !== "room") toggle(i, true); });
    if (nodes.id.length < 20000)
      nodes.id.forEach((id, i) => { if (nodes.type[i] === "floor") { openAbove(i); toggle(i, true); } });
    for (const id of search.opened) if (number.has(id)) { openAbove(number.get(id)); toggle(number.get(id), true); }
    const first = byId("tree").querySelector("[role=treeitem]");
    if (first) first.tabIndex = 0;
  }

  byId("tree").addEventListener("keydown", (event) => {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    const all = [...byId("tree").querySelectorAll("[role=treeitem]")];
    const i = Number(item.dataset.node), here = all.indexOf(item), open = item.getAttribute("aria-expanded");
    let to = null;
    switch (event.key) {
      case "ArrowDown": to = all[here + 1]; break;
      case "ArrowUp": to = all[here - 1]; break;
      case "Home": to = all[0]; break;
      case "End": to = all[all.length - 1]; break;
      case "ArrowRight": if (open === "false") toggle(i, true); else if (open === "true") to = all[here + 1]; break;
      case "ArrowLeft": if (open === "true") toggle(i, false); else to = items.get(nodes.parent[i]); break;
      case "Enter": case " ": select(i); break;
      default: return;
    }
    event.preventDefault();
    event.stopPropagation();
    if (to) focusItem(to);
  });

  function focusItem(item) {
    byId("tree").querySelectorAll("[tabindex='0']").forEach((one) => { one.tabIndex = -1; });
    item.tabIndex = 0;
    item.focus();
  }

  byId("find").addEventListener("input", () => {
    const words = byId("find").value.toLowerCase();
    const hits = [];
    if (words) for (let i = 0; i < nodes.id.length && hits.length < 30; i++) if (nodes.id[i].toLowerCase().includes(words)) hits.push(i);
    byId("hits").replaceChildren(...hits.map((i) => element("li", {}, link(nodes.id[i]))));
    if (words && !hits.length) byId("hits").append(element("li", { class: "quiet" }, "no node has that in its name"));
  });
  if (shown.size) {
    byId("only-shown").hidden = false;
    byId("only-shown").firstElementChild.addEventListener("change", (event) => { onlyShown = event.target.checked; makeTree(); });
  }

  function showKnown() {
    if (hidden.size)
      items.forEach((item, i) => { if (hidden.has(nodes.type[i])) item.firstElementChild.classList.toggle("unseen", unknown(i)); });
  }

  function select(i, show = false) {
    const before = items.get(state.node);
    if (before) before.setAttribute("aria-selected", "false");
    state.node = i;
    if (show && i >= 0) reveal(i);
    const item = items.get(i);
    if (item) item.setAttribute("aria-selected", "true");
    showNode();
    drawOver(moments()[state.step]);
    keepAddress();
  }

  function showNode() {
    const place = byId("node"), i = state.node;
    place.replaceChildren();
    if (i < 0) return;
    const [classes, states, attributes, affordances] = nodes.words[i];
    const rows = [["type", nodes.type[i]], ["class", classes], ["state at the start", states], ["attributes", attributes], ["can be", affordances]];
    if (hidden.has(nodes.type[i])) rows.push(["first seen", firstSeen.has(nodes.id[i]) ? `after step ${firstSeen.get(nodes.id[i])}` : "never"]);
    const shownRows = element("table", {}, ...rows.filter(([, text]) => text).map(([key, text]) => element("tr", {}, element("th", {}, key), element("td", {}, text))));
    if (nodes.parent[i] >= 0) shownRows.append(element("tr", {}, element("th", {}, nodes.relation[i]), element("td", {}, link(nodes.id[nodes.parent[i]]))));
    place.append(element("h2", {}, nodes.id[i]), shownRows);
    const since = element("ul");
    moments().slice(0, state.step + 1).forEach((moment, at) => moment.changes.forEach((fact) => {
      if (fact.nodes.includes(nodes.id[i])) since.append(element("li", {}, `step ${at}: `, fact.words));
    }));
    if (since.childElementCount) place.append(element("h3", {}, "Changed so far"), since);
  }

  // Playback

  const moments = () => (tracks[state.track] ? tracks[state.track].moments : []);

  function makeSteps() {
    const list = moments();
    byId("player").hidden = list.length < 2;
    byId("slider").max = Math.max(0, list.length - 1);
    byId("steps").replaceChildren(...list.map((moment, i) => element("li", {}, element("button",
      { type: "button", class: moment.refused ? "bad" : !state.track && timeline.has(i) ? "seen" : false, click: () => go(i) }, i ? moment.step : "start"))));
    drawTimeline();
  }

  // The timeline: goals that were turned down branch off before the first step, what was seen otherwise than
  // believed and each new plan where it came.

  function drawTimeline() {
    const turnedDown = (record.goals || []).slice(0, -1);
    const place = byId("timeline"), list = moments(), marks = state.track === 0 ? [...timeline.keys()].filter((at) => at < list.length) : [];
    place.replaceChildren();
    if (!turnedDown.length && !marks.length) return;
    const apart = 34, left = 12 + turnedDown.length * apart, each = list.length > 1 ? Math.min(40, Math.max(6, 900 / (list.length - 1))) : 0;
    const right = left + each * Math.max(0, list.length - 1), at = (step) => left + step * each;
    const made = shape("svg", { width: right + 14, height: 46, role: "group", "aria-label": "timeline: goals that were turned down, and changes of belief" });
    const line = (d, color, dashes) => shape("path", { d, fill: "none", stroke: color, "stroke-width": 2, "stroke-dasharray": dashes });
    made.append(line(`M6 24H${right}`, "currentColor", "none"));
    list.forEach((_, i) => made.append(shape("circle", { cx: at(i), cy: 24, r: 2.5, fill: "currentColor" })));
    turnedDown.forEach((one, i) => {
      const x = 8 + i * apart, why = `goal ${i + 1} of ${record.goals.length}, turned down${one.fault ? `: ${one.fault}` : ""}`;
      made.append(mark(why, () => showTurnedDown(one, i), line(`M${x} 24q8 0 12 -12`, "#b84a00", "3 2"), ...cross(x + 15, 8)));
    });
    for (const step of marks) {
      const x = at(step), words = timeline.get(step).join("; ");
      made.append(mark(`after step ${step}: ${words}`, () => jump(step), line(`M${x} 24v9`, "#0072b2", "none"), shape("path", { d: `M${x} 32l5 5l-5 5l-5 -5z`, fill: "#0072b2" })));
    }
    place.append(made);
  }

  const cross = (x, y) => [shape("path", { d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`, stroke: "#b84a00", "stroke-width": 2.5 }), shape("rect", { x: x - 9, y: y - 8, width: 18, height: 18, fill: "transparent" })];

  function mark(words, act, ...parts) {
    const made = shape("g", { tabindex: 0, role: "button", "aria-label": words }), title = shape("title", {});
    title.textContent = words;
    made.append(title, ...parts);
    made.addEventListener("click", act);
    made.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { act(); event.preventDefault(); event.stopPropagation(); } });
    return made;
  }

  function showTurnedDown(one, i) {
    play(false);
    byId("moment").replaceChildren(element("h2", {}, `Goal ${i + 1} of ${record.goals.length}: turned down`), element("ul", {}, round(one)),
      element("h3", {}, "What was written next"), element("ul", {}, round(record.goals[i + 1])));
  }

  function go(step) {
    const list = moments();
    if (!list.length) return;
    const before = byId("steps").querySelector("[aria-current]");
    if (before) before.removeAttribute("aria-current");
    state.step = Math.min(Math.max(0, step), list.length - 1);
    const now = byId("steps").children[state.step];
    if (now) {
      now.firstElementChild.setAttribute("aria-current", "step");
      byId("steps").scrollTop += now.getBoundingClientRect().top - byId("steps").getBoundingClientRect().top - 40;
    }
    byId("slider").value = state.step;
    byId("count").value = `${state.step} of ${list.length - 1}`;
    const moment = list[state.step];
    drawOver(moment);
    showMoment(moment);
    showGoal(moment);
    showKnown();
    showNode();
    keepAddress();
  }

  const LACKS = "It lacks";

  function facts(title, list) {
    if (!list || !list.length) return [];
    return [element("h3", {}, title), element("ul", {}, ...list.map((fact) => element("li", {}, fact.words, " ",
      element("code", { class: "quiet" }, fact.holds || title === LACKS ? fact.fact : `(not ${fact.fact})`), " ", ...fact.nodes.flatMap((id) => [link(id), " "]))))];
  }

  const differs = (one) => `${one.node} was believed ${one.believed}; ${one.seen === null ? "it is not there" : `it is ${one.seen}`}`;
  const record = data.record || {};
  const timeline = new Map();
  for (const [step, words] of [
    ...(record.observations || []).map((one) => [one.step, `sees ${differs(one)}`]),
    ...(record.story || []).map((one) => [one.after, one.text]),
  ]) timeline.set(step, [...(timeline.get(step) || []), words]);

  function story() {
    const words = state.track === 0 ? timeline.get(state.step) : null;
    return words ? [element("h3", {}, "Seen and meant"), lines(words)] : [];
  }

  function showMoment(moment) {
    const words = state.step ? `Step ${state.step}: ${moment.step}` : "Before the first step";
    const held = moment.held.length ? moment.held.flatMap((id) => [link(id), " "]) : ["nothing"];
    byId("moment").replaceChildren(element("h2", {}, words),
      ...(moment.refused ? [element("p", { class: "bad" }, `✗ ${moment.refused}`)] : []),
      ...facts(LACKS, moment.unmet),
      element("p", {}, "robot at ", link(moment.at), ...(moment.walk ? [] : ["; holds ", ...held])),
      ...(moment.walk ? [element("p", {}, `${moment.walk} so far; what was not seen yet is covered`)] : []),
      ...(moment.seen && moment.seen.length ? [element("h3", {}, `Seen for the first time (${moment.seen.length})`), element("p", {}, ...moment.seen.flatMap((id) => [link(id), " "]))] : []),
      ...facts("Changed", moment.changes),
      ...story(),
      ...(moment.events && moment.events.length ? [element("p", {}, `by itself: ${moment.events.join(" ")}`)] : []),
      ...facts("It needed", moment.needs));
  }

  const TURNED_DOWN = ["not-understood", "goal-error"];

  function showGoal(moment) {
    const place = byId("goal"), goal = data.goal;
    if (!goal || (!goal.text && !goal.words && !goal.parts.length)) return;
    place.replaceChildren();
    if (data.relaxed) place.append(element("p", { class: "bad" }, element("strong", {}, "Asked for, and impossible: "), data.relaxed));
    if (goal.words && goal.words !== data.title) place.append(element("p", {}, element("strong", {}, data.outcome === "answered" ? "Answer: " : TURNED_DOWN.includes(data.outcome) ? "Goal that was turned down: " : "Goal: "), goal.words));
    if (!goal.parts.length || !moment || moment.goal.length < goal.parts.length) {
      if (goal.text) place.append(element("pre", {}, goal.text));
      return;
    }
    const list = moments();
    place.append(element("table", {}, element("tr", {}, ...["now", "part of the goal", "formula", "over the steps"].map((word) => element("th", {}, word))),
      ...goal.parts.map((part, i) => element("tr", { class: i >= data.asked ? "gold" : false },
        element("td", { class: moment.goal[i] === "1" ? "good" : "bad" }, moment.goal[i] === "1" ? "✓ holds" : "✗ not now"),
        element("td", {}, i >= data.asked ? "gold: " : "", part.words), element("td", {}, element("code", {}, part.formula)),
        element("td", {}, list.length > 1 ? strip(list, i) : "")))));
  }

  function strip(list, part) {
    const wide = 160, each = wide / list.length;
    const made = shape("svg", { width: wide, height: 12, viewBox: `0 0 ${wide} 12`, class: "strip", role: "img", "aria-label": "where it holds" });
    made.append(shape("rect", { x: 0, y: 5, width: wide, height: 2, fill: "currentColor", opacity: 0.35 }));
    list.forEach((one, i) => { if (one.goal[part] === "1") made.append(shape("rect", { x: i * each, y: 1, width: each + 0.3, height: 10, fill: "#009e73" })); });
    made.append(shape("rect", { x: state.step * each, y: 0, width: Math.max(1.5, each), height: 12, fill: "none", stroke: "currentColor" }));
    return made;
  }

  function play(on) {
    clearInterval(playing);
    playing = on ? setInterval(() => { if (state.step >= moments().length - 1) play(false); else go(state.step + 1); }, 700) : 0;
    byId("play").textContent = playing ? "Stop" : "Play";
  }
  const startOrStop = () => { if (!playing && state.step >= moments().length - 1) go(0); play(!playing); };
  const last = () => moments().length - 1;
  const jump = (step) => { play(false); go(step); };
  byId("first").addEventListener("click", () => jump(0));
  byId("back").addEventListener("click", () => jump(state.step - 1));
  byId("next").addEventListener("click", () => jump(state.step + 1));
  byId("last").addEventListener("click", () => jump(last()));
  byId("play").addEventListener("click", startOrStop);
  byId("slider").addEventListener("input", () => jump(Number(byId("slider").value)));
  byId("track").addEventListener("change", () => { play(false); state.track = Number(byId("track").value); makeSteps(); go(0); });

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select")) return;
    const button = event.target.closest("button, summary");
    switch (event.key) {
      case "ArrowRight": jump(state.step + 1); break;
      case "ArrowLeft": jump(state.step - 1); break;
      case "Home": jump(0); break;
      case "End": jump(last()); break;
      case " ": if (button) return; startOrStop(); break;
      case "/": byId("find").focus(); break;
      case "+": zoomBy(1.25); break;
      case "-": zoomBy(0.8); break;
      default: return;
    }
    event.preventDefault();
  });

  // What the record says beside the plan

  function section(title, open, ...inside) {
    byId("more").append(element("details", { open }, element("summary", {}, title), ...inside));
  }

  const lines = (list) => element("ul", {}, ...list.map((one) => element("li", {}, typeof one === "string" ? one : JSON.stringify(one))));

  function more() {
    if (data.diagnostics && data.diagnostics.length) section("Findings of the check of the goal", true, ...data.diagnostics.flatMap(finding));
    if (record.goals && record.goals.length) section(`Goals that were written (${record.goals.length})`, record.goals.length > 1, element("ol", {}, ...record.goals.map(round)));
    if (record.observations && record.observations.length)
      section("Seen otherwise than believed", true, element("ul", {}, ...record.observations.map((one) => element("li", {},
        `after step ${one.step}: ${differs(one)}`))));
    if (record.trace && record.trace.some((move) => move.command || move.intent))
      section(`The search (${record.trace.length} ${record.trace[0].intent ? "drives and looks" : "moves"})`, Boolean(data.judged && data.judged.success === false), element("ol", {}, ...record.trace.map((move) => element("li", {},
        `${move.command || move.intent || ""} `, move.node ? link(move.node) : "", move.tokens ? ` ${move.tokens} tokens` : "",
        move.thought ? element("p", { class: "quiet" }, String(move.thought)) : ""))));
    if (record.attempts && record.attempts.length)
      section("Plans that a model wrote", true, element("ol", {}, ...record.attempts.map((one) => element("li", {},
        element("pre", {}, String(one.text)), lines(one.feedback)))));
    if (record.story && record.story.length)
      section(`What was seen and meant, and when (${record.story.length})`, false, element("ul", {}, ...record.story.map((one) => element("li", {}, `after step ${one.after}: ${one.text}`))));
    for (const [key, title] of [["notes", "Notes"], ["looks", "Places looked at"], ["losses", "Lost in reading the scene"]])
      if (record[key] && record[key].length) section(title, false, lines(record[key]));
    if (data.judged && Object.keys(data.judged).length) section("How the run was judged", !data.judged.success, table(data.judged));
    if (data.facts && Object.keys(data.facts).length)
      section("Hashes, certificate, engine and reader", false, table(data.facts));
  }

  const table = (values) => element("table", {}, ...Object.entries(values).map(([key, value]) =>
    element("tr", {}, element("th", {}, key), element("td", {}, element("code", {}, typeof value === "string" ? value : JSON.stringify(value, null, 1))))));

  function finding(one) {
    const text = data.goal.text, span = one.span;
    const shownAt = span && span.end <= text.length
      ? element("pre", {}, text.slice(0, span.start), element("mark", {}, text.slice(span.start, span.end) || " "), text.slice(span.end))
      : "";
    return [element("p", { class: one.severity === "error" ? "bad" : "" }, `${one.severity}[${one.code}]: ${one.message}`), shownAt]
      .filter((part) => part !== "");
  }

  function round(one) {
    const change = one.diff;
    return element("li", {}, element("pre", {}, String(one.goal)),
      element("p", { class: "quiet" }, [one.by, one.trigger && `after the ${one.trigger}`, `${one.tokens} tokens`].filter(Boolean).join(", ")),
      ...(change.added.length ? [element("p", {}, "added: ", element("code", {}, change.added.join(" ")))] : []),
      ...(change.dropped.length ? [element("p", {}, "dropped: ", element("code", {}, change.dropped.join(" ")))] : []),
      ...(one.fault ? [element("p", { class: "bad" }, `✗ ${one.fault}`)] : []), lines(one.feedback));
  }

  // The address: #step=5&node=fridge&run=1

  function keepAddress() {
    const parts = [];
    if (state.step || moments().some((moment) => moment.refused)) parts.push(`step=${state.step}`);
    if (state.node >= 0) parts.push(`node=${encodeURIComponent(nodes.id[state.node])}`);
    if (state.track) parts.push(`run=${state.track}`);
    const hash = parts.length ? `#${parts.join("&")}` : "";
    if (location.hash !== hash) history.replaceState(null, "", hash || location.pathname + location.search);
  }

  function readAddress() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const track = Number(asked.get("run")), step = Number(asked.get("step"));
    state.track = Number.isInteger(track) && tracks[track] ? track : 0;
    byId("track").value = state.track;
    makeSteps();
    const node = asked.get("node");
    if (node !== null && number.has(node)) select(number.get(node), true);
    const refused = moments().findIndex((moment) => moment.refused);
    const failed = (data.outcome && !data.good) || (data.judged && data.judged.success === false);
    const first = refused >= 0 ? refused : failed ? moments().length - 1 : 0;
    go(asked.has("step") && Number.isInteger(step) ? step : first);
  }

  byId("title").textContent = data.title;
  const judged = data.judged || {}, good = data.good && judged.success !== false;
  byId("outcome").textContent = data.outcome ? `${good ? "✓" : "✗"} ${data.outcome.replaceAll("-", " ")}${data.relaxed ? ", relaxed" : ""}${data.good && !good ? ", and judged wrong" : ""}` : "";
  byId("outcome").className = good ? "good" : "bad";
  if (judged.success === false) {
    const end = moments().length ? moments()[moments().length - 1].goal : "";
    const unmet = (data.goal.parts || []).filter((part, i) => i >= data.asked && end[i] !== "1").map((part) => part.words);
    byId("reasons").append(element("p", { class: "bad" }, "✗ judged by the task's gold: no success",
      unmet.length ? `; at the end does not hold: ${unmet.join(" ")}` : ""), lines(judged.why || []));
  }
  if (judged.note) byId("reasons").append(element("p", { class: "quiet" }, judged.note));
  byId("meaning").textContent = data.meaning || "";
  byId("summary").textContent = data.summary.join(" · ");
  if (!data.good && data.reasons.length) byId("reasons").append(lines(data.reasons));
  byId("track").append(...tracks.map((track, i) => element("option", { value: i }, track.name)));
  byId("track-label").hidden = tracks.length < 2;
  makeTree();
  more();
  readAddress();
  if (!moments().length) { byId("player").hidden = true; showGoal(null); }
  addEventListener("hashchange", readAddress);
  addEventListener("beforeprint", () => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
})();
