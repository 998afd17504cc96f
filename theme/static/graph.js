// The focus graph: one component, what it depends on and what depends on it, up to two hops. The data is a script of its
// own, so that a page opened from the file system has it, too. Without a script, the page has a picture and links.
(function () {
  "use strict";
  var place = document.querySelector("[data-graph]"), graph = window.catalogGraph;
  if (!place || !graph || !graph.nodes.length) return;
  var MOST = 18, MOST_THROUGH = 6;
  var base = document.documentElement.dataset.base || "";
  var nodes = graph.nodes.map(function (node, at) {
    return { title: node[0], href: base + node[1], id: node[1].replace(/^.*\/|\.html$/g, ""), group: graph.groups[node[2]] || "", off: !!node[3], needs: graph.needs[at], neededBy: [] };
  });
  nodes.forEach(function (node, at) { node.needs.forEach(function (need) { nodes[need].neededBy.push(at); }); });
  var byId = new Map(nodes.map(function (node, at) { return [node.id, at]; }));
  var shownWhole = new Set(), current = -1;

  function make(tag, attributes, children) {
    var element = document.createElement(tag);
    Object.keys(attributes || {}).forEach(function (name) {
      if (name === "text") element.textContent = attributes[name]; else element.setAttribute(name, attributes[name]);
    });
    (children || []).forEach(function (child) { if (child) element.append(child); });
    return element;
  }
  function counted(number, word, words) { return number + " " + (number === 1 ? word : words || word + "s"); }
  function sorted(all) {
    return Array.from(all).sort(function (a, b) {
      return nodes[a].group.localeCompare(nodes[b].group) || nodes[a].title.localeCompare(nodes[b].title);
    });
  }

  // One side of the picture: the nearest, then those behind them. A hub shows a few of those behind it, and their number.
  function side(centre, edge) {
    var near = sorted(nodes[centre][edge]), seen = new Set(near.concat(centre)), far = [], bundles = [];
    near.forEach(function (at) {
      var behind = sorted(nodes[at][edge]).filter(function (other) { return !seen.has(other); });
      var whole = behind.length <= MOST_THROUGH + 1 || shownWhole.has(edge + at);
      (whole ? behind : behind.slice(0, MOST_THROUGH)).forEach(function (other) { seen.add(other); far.push(other); });
      if (!whole) bundles.push({ through: at, count: behind.length - MOST_THROUGH, key: edge + at });
    });
    return { near: near, far: far, bundles: bundles, edge: edge };
  }

  var input = make("input", { type: "search", list: "focus-names", autocomplete: "off", spellcheck: "false" });
  var names = make("datalist", { id: "focus-names" }, nodes.map(function (node) { return make("option", { value: node.title, text: node.id }); }));
  var status = make("output", { "aria-live": "polite", class: "muted" });
  var picture = make("div", { class: "focus", role: "group", "aria-label": "Focus graph" });
  var tools = make("div", { class: "focus-tools" }, [make("label", {}, ["Component ", input]), names, status]);

  function item(at, column) {
    var node = nodes[at];
    var link = make("a", { href: "#focus=" + encodeURIComponent(node.id), "data-n": at, "data-c": column, title: "Centre on " + node.title }, [
      make("span", { text: node.title }), node.group ? make("small", { text: node.off ? node.group + " · not enabled" : node.group }) : null,
    ]);
    if (node.off) link.classList.add("off");
    return make("li", {}, [link]);
  }
  function button(text, key) {
    var more = make("button", { type: "button", class: "more", text: text });
    more.addEventListener("click", function () { shownWhole.add(key); draw(current); });
    return make("li", {}, [more]);
  }
  function column(title, all, number, bundles, key) {
    if (!all.length) return null;
    var whole = all.length <= MOST + 2 || shownWhole.has(key);
    var items = (whole ? all : all.slice(0, MOST)).map(function (at) { return item(at, number); });
    if (!whole) items.push(button("Show " + (all.length - MOST) + " more", key));
    (bundles || []).forEach(function (bundle) {
      items.push(button(counted(bundle.count, "more", "more") + " through " + nodes[bundle.through].title, bundle.key));
    });
    return make("div", { class: "focus-column" }, [make("h3", { text: title }), make("ul", {}, items)]);
  }

  function draw(centre) {
    var node = nodes[centre], left = side(centre, "needs"), right = side(centre, "neededBy");
    if (centre !== current) shownWhole.clear();
    current = centre;
    var middle = make("div", { class: "focus-column focus-middle" }, [
      make("div", { class: "focus-centre", tabindex: "-1", "data-n": centre, "data-c": 2 }, [
        make("strong", { text: node.title }), node.group ? make("small", { text: node.group }) : null,
        make("a", { href: node.href, text: "Open page" }),
      ]),
    ]);
    var columns = [
      column("2 hops", left.far, 0, left.bundles, "far-needs"), column("Depends on", left.near, 1, null, "near-needs"), middle,
      column("Dependents", right.near, 3, null, "near-by"), column("2 hops", right.far, 4, right.bundles, "far-by"),
    ];
    var lines = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    lines.setAttribute("aria-hidden", "true");
    picture.replaceChildren.apply(picture, [lines].concat(columns.filter(Boolean)));
    status.textContent = node.title + ": " + counted(node.needs.length, "dependency", "dependencies") + ", " + counted(node.neededBy.length, "dependent");
    input.value = node.title;
    connect(lines);
  }

  // Lines between neighbouring columns. On a phone, columns stand below each other and have none.
  var drawn = [];
  function connect(lines) {
    var frame = picture.getBoundingClientRect(), boxes = Array.from(picture.querySelectorAll("[data-n]"));
    lines.setAttribute("width", picture.scrollWidth);
    lines.setAttribute("height", picture.scrollHeight);
    drawn = [];
    boxes.forEach(function (from) {
      boxes.forEach(function (to) {
        if (+to.dataset.c !== +from.dataset.c + 1 || nodes[to.dataset.n].needs.indexOf(+from.dataset.n) < 0) return;
        var a = from.getBoundingClientRect(), b = to.getBoundingClientRect();
        var x1 = a.right - frame.left + picture.scrollLeft, y1 = a.top + a.height / 2 - frame.top;
        var x2 = b.left - frame.left + picture.scrollLeft, y2 = b.top + b.height / 2 - frame.top, bend = (x2 - x1) / 2;
        var path = document.createElementNS("http://www.w3.org/2000/svg", "path");
        path.setAttribute("d", "M" + x1 + " " + y1 + "C" + (x1 + bend) + " " + y1 + " " + (x2 - bend) + " " + y2 + " " + x2 + " " + y2);
        lines.append(path);
        drawn.push({ path: path, from: from, to: to });
      });
    });
  }

  // A path is traced from what is pointed at or has the focus to the centre, and one hop beyond.
  function trace(box) {
    var on = new Set(box ? [box] : []), kept = new Set();
    function follow(end, other, from) {
      drawn.forEach(function (line) {
        if (line[end] !== from || kept.has(line)) return;
        kept.add(line);
        on.add(line[other]);
        follow(end, other, line[other]);
      });
    }
    var number = box ? +box.dataset.c : 2;
    if (number !== 2) { follow("from", "to", box); follow("to", "from", box); }
    // What lies beyond the centre is no part of the path.
    kept.forEach(function (line) {
      var beyond = number < 2 ? +line.from.dataset.c >= 2 : +line.to.dataset.c <= 2;
      if (beyond) { kept.delete(line); on.delete(number < 2 ? line.to : line.from); }
    });
    picture.classList.toggle("tracing", number !== 2);
    drawn.forEach(function (line) { line.path.classList.toggle("on", kept.has(line)); });
    picture.querySelectorAll("[data-n]").forEach(function (other) { other.classList.toggle("on", on.has(other)); });
  }
  function boxOf(event) { return event.target.closest && event.target.closest("[data-n]"); }
  picture.addEventListener("pointerover", function (event) { trace(boxOf(event)); });
  picture.addEventListener("pointerleave", function () { trace(null); });
  picture.addEventListener("focusin", function (event) { trace(boxOf(event)); });
  picture.addEventListener("focusout", function () { trace(null); });

  function asked() {
    var hash = /^#focus=(.+)$/.exec(location.hash), name = "";
    try { name = hash ? decodeURIComponent(hash[1]) : ""; } catch (broken) { name = ""; }
    return byId.get(name);
  }
  input.addEventListener("change", function () {
    var text = input.value.trim().toLowerCase();
    var exact = nodes.findIndex(function (node) { return node.title.toLowerCase() === text || node.id === text; });
    var found = exact >= 0 ? exact : nodes.findIndex(function (node) { return text && node.title.toLowerCase().indexOf(text) >= 0; });
    if (found >= 0) location.hash = "focus=" + encodeURIComponent(nodes[found].id);
    else status.textContent = "No component is called " + input.value.trim();
  });
  addEventListener("hashchange", function () {
    var at = asked();
    if (at === undefined) return;
    draw(at);
    // The keyboard goes on from the new centre.
    if (!input.matches(":focus")) picture.querySelector(".focus-centre").focus({ preventScroll: true });
  });
  var waiting = false;
  addEventListener("resize", function () {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(function () { waiting = false; draw(current); });
  });

  var figure = place.querySelector("figure");
  if (figure) figure.hidden = true;
  place.append(tools, picture, make("p", { class: "muted", text: "From left to right: dependencies, the component, its dependents. Edges that others imply are left out. Choose a component to centre it." }));
  var first = asked();
  draw(first === undefined ? graph.centre : first);
  if (first !== undefined) place.scrollIntoView();
})();
