// Theme switch, filters, copy buttons and zoom. Every page works without it.
(function () {
  "use strict";
  var root = document.documentElement;
  var base = root.dataset.base || "";

  function all(selector, within) { return Array.from((within || document).querySelectorAll(selector)); }
  function one(selector, within) { return (within || document).querySelector(selector); }
  function make(tag, attributes, children) {
    var element = document.createElement(tag);
    Object.entries(attributes || {}).forEach(function (pair) {
      if (pair[0] === "text") element.textContent = pair[1];
      else element.setAttribute(pair[0], pair[1]);
    });
    (children || []).forEach(function (child) { element.append(child); });
    return element;
  }
  var ICONS = {
    copy: "M5.5 5.5V2.5h8v8h-3M2.5 5.5h8v8h-8z",
    done: "m3 8.5 3.3 3.3L13 4.8"
  };
  function icon(name) {
    var svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    var path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    svg.setAttribute("viewBox", "0 0 16 16");
    svg.setAttribute("class", "icon");
    svg.setAttribute("aria-hidden", "true");
    path.setAttribute("d", ICONS[name]);
    svg.append(path);
    return svg;
  }
  // "1 component", "27 components": `plural` ends in "s".
  function counted(number, plural) { return number + " " + (number === 1 ? plural.slice(0, -1) : plural); }
  function stored(key, value) {
    try {
      if (value === undefined) return localStorage.getItem(key);
      if (value === null) localStorage.removeItem(key); else localStorage.setItem(key, value);
    } catch (e) { /* storage is off */ }
    return null;
  }

  // Theme: system, light, dark.
  all("[data-theme-switch]").forEach(function (button) {
    var names = ["system", "light", "dark"];
    function show() {
      var now = root.dataset.theme || "system";
      var label = one("[data-theme-name]", button);
      label.textContent = now[0].toUpperCase() + now.slice(1);
      button.setAttribute("aria-label", "Theme: " + now + ". Switch to " + names[(names.indexOf(now) + 1) % 3]);
      button.title = "Theme: " + now;
    }
    button.hidden = false;
    button.addEventListener("click", function () {
      var next = names[(names.indexOf(root.dataset.theme || "system") + 1) % 3];
      if (next === "system") delete root.dataset.theme; else root.dataset.theme = next;
      stored("catalog-theme", next === "system" ? null : next);
      show();
    });
    show();
  });

  // Copying: a command, or all commands of a block.
  function put(text) {
    if (navigator.clipboard && window.isSecureContext) return navigator.clipboard.writeText(text);
    return new Promise(function (resolve, reject) {
      var area = make("textarea", { class: "vh", readonly: "" });
      area.value = text;
      document.body.append(area);
      area.select();
      var ok = document.execCommand("copy");
      area.remove();
      if (ok) resolve(); else reject(new Error("copying was blocked"));
    });
  }
  function copyButton(label, text, visible) {
    var button = make("button", { type: "button", class: "copy", "aria-label": label, title: label }, [icon("copy")]);
    if (visible) button.append(visible);
    button.addEventListener("click", function () {
      put(typeof text === "function" ? text() : text).then(function () {
        button.firstChild.replaceWith(icon("done"));
        button.classList.add("done");
        button.setAttribute("aria-label", "Copied");
        setTimeout(function () {
          button.firstChild.replaceWith(icon("copy"));
          button.classList.remove("done");
          button.setAttribute("aria-label", label);
        }, 1600);
      }, function () { button.title = "The browser blocked copying"; });
    });
    return button;
  }
  function wrap(element) {
    var box = make("div", { class: "copy-wrap" });
    element.before(box);
    box.append(element);
    return box;
  }
  // A command goes on where its line ends in a backslash, a pipe or an operator, or inside a quote or a here-document.
  function commandsOf(text) {
    var found = [], lines = text.replace(/\n+$/, "").split("\n"), open = null, heredoc = null;
    lines.forEach(function (line, at) {
      if (!open && (!line.trim() || /^\s*#/.test(line))) return;
      if (open) { open.text += "\n" + line; } else { open = { line: at, text: line.replace(/^\s*\$ /, "") }; }
      if (heredoc) { if (line.trim() === heredoc) heredoc = null; } else {
        var here = /<<-?\s*['"]?(\w+)/.exec(line);
        if (here) heredoc = here[1];
      }
      var bare = open.text.replace(/\\./g, "").replace(/'[^']*'/g, "").replace(/"[^"]*"/g, "");
      if (heredoc || /\\$/.test(line) || /(\||&&)\s*$/.test(line) || /['"]/.test(bare)) return;
      found.push(open);
      open = null;
    });
    if (open) found.push(open);
    return found;
  }
  // Commands that only read, in every part of a pipeline. What is not known to read may change something.
  var READS = [
    /^kubectl( (-\S+|--?(n|namespace|context) \S+))* (get|describe|logs|top|explain|events|wait|diff|version|cluster-info|api-resources|api-versions|auth can-i|config (view|get-contexts|current-context)|rollout (status|history))\b/,
    /^flux( (-\S+|--?(n|namespace|context) \S+))* (get|logs|check|tree|trace|events|diff|build|export|stats|version)\b/,
    /^helm( (-\S+|--?(n|namespace|kube-context) \S+))* (list|ls|get|history|status|show|template|search|version)\b/,
    /^argocd (app|proj|repo|cluster) (get|list|logs|diff|history|manifests|resources|wait)\b/,
    /^(grep|egrep|zgrep|awk|sed(?! -i)|jq|yq(?! -i)|sort|uniq|head|tail|wc|cut|tr|column|less|cat|ls|echo|printf|date|dig|nslookup|host|ping|base64|watch|stern|openssl (s_client|x509))\b/,
    /^curl\b(?!.*\s(-X|--request|-d|--data\S*|-T|-F)\b)/,
  ];
  function reads(command) {
    var bare = command.replace(/\\\n/g, " ").replace(/'[^']*'|"[^"]*"/g, "''");
    if (/(^|[^<])>(?!\s*\/dev\/null|&)|<<|\$\(|`/.test(bare)) return false;
    return bare.split(/\|\|?|&&|;|\n/).every(function (part) { part = part.trim(); return !part || READS.some(function (known) { return known.test(part); }); });
  }
  // "Copy all" never mixes commands that only read with others: of a mixed block, it copies the diagnosis.
  function copyAll(commands, current, visible) {
    var diagnosis = commands.filter(reads).length, mixed = diagnosis > 0 && diagnosis < commands.length;
    if (mixed && diagnosis < 2) return null;
    var label = mixed ? "Copy diagnosis, " + diagnosis : "Copy all " + commands.length;
    return copyButton(label + " commands", function () {
      return current().filter(function (text) { return !mixed || reads(text); }).join("\n") + "\n";
    }, visible || label);
  }
  all(".cmds").forEach(function (group) {
    var blocks = all(".cmd", group);
    function texts() { return blocks.map(function (pre) { return pre.textContent.trim(); }); }
    blocks.forEach(function (pre) { wrap(pre).append(copyButton("Copy command", function () { return pre.textContent.trim(); })); });
    group.classList.add("has-copy");
    var button = blocks.length > 1 ? copyAll(texts(), texts) : null;
    if (button) {
      button.classList.add("copy-all");
      group.prepend(button);
    }
  });
  // A block of code: its own button where the renderer gave it one, and one for each of several commands.
  all(".prose pre, .quiet pre").forEach(function (pre) {
    var figure = pre.closest("figure.code"), caption = figure && one("figcaption span", figure);
    var code = one("code", pre) || pre, text = code.textContent;
    var names = code.className + " " + (figure ? figure.className + " " + (figure.dataset.lang || "") + " " + (caption ? caption.textContent : "") : "");
    var commands = /(^|[\s-])(bash|sh|shell|console|zsh|terminal)(\s|$)/i.test(names) ? commandsOf(text) : [];
    var box = wrap(pre), many = commands.length > 1;
    function texts() { return commandsOf(code.textContent).map(function (command) { return command.text; }); }
    var whole = many ? copyAll(texts(), texts) : copyButton("Copy", commands.length ? function () { return texts().join("\n"); } : text, figure ? "Copy" : "");
    var given = figure && one("button.copy", figure);
    if (given && whole) given.replaceWith(whole); else if (given) given.remove(); else if (whole) box.append(whole);
    if (!many) return;
    if (!given && whole) whole.classList.add("copy-all");
    box.classList.add("has-lines");
    var style = getComputedStyle(pre), height = parseFloat(style.lineHeight), top = parseFloat(style.paddingTop);
    commands.forEach(function (command, at) {
      var button = copyButton("Copy command", function () { return texts()[at]; });
      button.classList.add("copy-line");
      button.style.top = top + command.line * height + (height - 24) / 2 + "px";
      box.append(button);
    });
  });

  // The context of an environment, if `catalog.toml` states one: in every command of the section that has none.
  all(".contexts").forEach(function (list) {
    var section = list.closest("section") || document.body, choice = make("select", {}, [make("option", { value: "", text: "none" })]);
    all("[data-context]", list).forEach(function (item) {
      choice.append(make("option", { value: item.dataset.context, text: item.dataset.environment }));
    });
    function apply() {
      all("i.context", section).forEach(function (flag) { var code = flag.parentNode; flag.remove(); code.normalize(); });
      if (choice.value) all("pre code", section).forEach(function (code) { flagged(code, choice.value); });
      stored("catalog-context", choice.selectedIndex ? choice.selectedOptions[0].textContent : null);
    }
    choice.addEventListener("change", apply);
    list.replaceChildren(make("label", {}, ["Commands for ", choice]));
    var last = stored("catalog-context");
    all("option", choice).forEach(function (option) { if (last && option.textContent === last) choice.value = option.value; });
    if (choice.value) apply();
  });
  function flagged(code, context) {
    var text = code.textContent, pattern = /(^(?:\$ )?|[|;&(]\s*)(kubectl|flux|helm)(?= )/gm, found, ends = [];
    while ((found = pattern.exec(text))) {
      var line = text.slice(pattern.lastIndex).split("\n")[0];
      if (!/ --(kube-)?context\b/.test(line)) ends.push({ at: pattern.lastIndex, flag: found[2] === "helm" ? " --kube-context " : " --context " });
    }
    ends.reverse().forEach(function (end) {
      var walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT), passed = 0, node;
      while ((node = walker.nextNode())) {
        if (end.at <= passed + node.length) {
          var flag = make("i", { class: "context", text: end.flag + context });
          if (end.at === passed + node.length) node.after(flag); else node.splitText(end.at - passed).before(flag);
          return;
        }
        passed += node.length;
      }
    });
  }

  // The page as Markdown. Pages opened from a file system cannot read their neighbours.
  all("[data-copy-page]").forEach(function (item) {
    if (!/^https?:$/.test(location.protocol)) return;
    var button = make("button", { type: "button", text: "Copy as Markdown" });
    button.prepend(icon("copy"));
    button.addEventListener("click", function () {
      fetch(item.dataset.copyPage).then(function (answer) {
        if (!answer.ok) throw new Error(answer.status);
        return answer.text();
      }).then(put).then(function () { button.lastChild.textContent = "Copied"; }, function () { button.lastChild.textContent = "Could not copy"; }).then(function () {
        setTimeout(function () { button.lastChild.textContent = "Copy as Markdown"; }, 1600);
      });
    });
    item.append(button);
    item.hidden = false;
  });

  // A page is fetched when somebody points at a link to it, unless data is to be saved.
  var fetched = new Set();
  function prefetch(event) {
    var link = event.target.closest && event.target.closest("a[href]");
    if (!link || link.origin !== location.origin || !/^https?:$/.test(link.protocol) || !/(\.html|\/)$/.test(link.pathname)) return;
    var address = link.href.split("#")[0];
    if (address === location.href.split("#")[0] || fetched.has(address) || fetched.size > 40 || navigator.connection && navigator.connection.saveData) return;
    fetched.add(address);
    document.head.append(make("link", { rel: "prefetch", href: address }));
  }
  var pointing = 0;
  document.addEventListener("mouseover", function (event) { clearTimeout(pointing); pointing = setTimeout(prefetch, 65, event); }, { passive: true });
  document.addEventListener("touchstart", prefetch, { passive: true });
  document.addEventListener("focusin", prefetch);

  // A table fades at the side where it goes on.
  function hint(box) {
    box.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    if (box.dataset.hinted || box.scrollWidth <= box.clientWidth + 1) return;
    box.dataset.hinted = "yes";
    box.addEventListener("scroll", function () { hint(box); }, { passive: true });
  }

  // Areas that scroll can be focused with the keyboard. Others are neither tab stops nor landmarks.
  function reachable() {
    all(".scroll, .table, .diagram-view, pre").forEach(function (box) {
      // The head of a table that fits stays in view while the page scrolls.
      if (one("table.index", box)) {
        var fits = box.scrollWidth <= box.clientWidth + 1;
        box.classList.toggle("fits", fits);
        box.classList.toggle("tall", !fits);
      }
      if (box.matches(".scroll, .table")) hint(box);
      var scrolls = box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1;
      var label = box.dataset.label ? box.dataset.label + ", table" : box.classList.contains("table") ? "Table" : "";
      if (scrolls) {
        box.tabIndex = 0;
        if (label) { box.setAttribute("role", "region"); box.setAttribute("aria-label", label); }
      } else {
        box.removeAttribute("tabindex");
        if (label) { box.removeAttribute("role"); box.removeAttribute("aria-label"); }
      }
    });
  }

  // Where a value is set, as its address says: nothing else on the page repeats it.
  function tellOrigins(within) {
    all("a[href]:not([title])", within).forEach(tellOrigin);
  }
  function tellOrigin(link) {
    var table = link.closest("[data-files]"), href = link.getAttribute("href");
    if (!table || link.title || !href.startsWith(table.dataset.files)) return;
    var place = /^(.+)#\D+(\d+)$/.exec(href.slice(table.dataset.files.length));
    if (place) link.title = "set at " + decodeURIComponent(place[1]) + ":" + place[2];
  }
  ["mouseover", "focusin"].forEach(function (name) {
    document.addEventListener(name, function (event) {
      var link = event.target.closest && event.target.closest("[data-files] a[href]");
      if (link) tellOrigin(link);
    }, { passive: true });
  });
  if (matchMedia("(hover: none)").matches) all("table.settings").forEach(tellOrigins);

  // State in the hash: #layer=Data&status=enabled. A plain #id stays what it is.
  function hashState() {
    var hash = location.hash.slice(1);
    return hash.includes("=") ? new URLSearchParams(hash) : new URLSearchParams();
  }
  all("form[data-filters]").forEach(function (form) {
    var table = one("table.index"), items;
    var pickers = all("select[name]", form);
    if (table) {
      // The positions of a row's values among the options of each select.
      var values = pickers.map(function (picker) { return Array.from(picker.options, function (option) { return option.value; }).slice(1); });
      // A long layer has several bodies, the first of them with its heading.
      var layer = null;
      items = all("tbody", table).flatMap(function (body) {
        if (!body.classList.contains("more")) layer = body;
        var first = layer;
        return all("tr[data-f]", body).map(function (row) {
          var item = { element: row, group: first, differs: row.classList.contains("is-different") ? ["yes"] : [] };
          row.dataset.f.split(" ").forEach(function (word, at) {
            item[pickers[at].name] = word === "-" ? [] : word.split(",").map(function (number) { return values[at][number]; });
          });
          return item;
        });
      });
    } else {
      items = all(".finding").map(function (li) {
        return { element: li, group: li.closest("[data-group]"), text: li.textContent.toLowerCase(), severity: [li.dataset.severity], rule: [li.dataset.rule], component: (li.dataset.component || "").split("\n") };
      });
    }
    var controls = Array.from(form.elements).filter(function (c) { return c.name; });
    var output = one("output", form), none = one("[data-none]");
    function isSet(c) { return c.type === "checkbox" ? c.checked : !!c.value.trim(); }
    function read() {
      var state = hashState();
      controls.forEach(function (c) {
        if (c.type === "checkbox") { c.checked = state.get(c.name) === c.value; return; }
        c.value = state.get(c.name) || "";
        if (c.selectedIndex === -1) c.value = "";
      });
    }
    function apply() {
      var wanted = controls.filter(isSet);
      controls.forEach(function (c) { c.classList.toggle("set", isSet(c)); });
      var shown = 0, groups = new Set(), words = form.elements.q ? form.elements.q.value.toLowerCase().trim().split(/\s+/) : [];
      items.forEach(function (item) {
        var fits = wanted.every(function (c) {
          if (c.name === "q") {
            if (item.text === undefined) item.text = item.element.textContent.toLowerCase();
            return words.every(function (word) { return item.text.includes(word); });
          }
          return (item[c.name] || []).includes(c.value);
        });
        if (item.element.hidden === fits) item.element.hidden = !fits;
        if (fits) { shown += 1; groups.add(item.group); }
      });
      new Set(items.map(function (i) { return i.group; })).forEach(function (group) { group.hidden = !groups.has(group); });
      output.textContent = (wanted.length ? shown + " of " + items.length : counted(items.length, form.dataset.filters)) + ("part" in form.dataset ? " on this page" : "");
      one("[type=reset]", form).hidden = !wanted.length;
      none.hidden = shown > 0;
      if (table) table.parentNode.hidden = shown === 0;
    }
    function write() {
      var state = new URLSearchParams();
      controls.filter(isSet).forEach(function (c) { state.set(c.name, c.value.trim()); });
      history.replaceState(null, "", location.pathname + location.search + (state.toString() ? "#" + state : ""));
      apply();
    }
    var more = one(".filter-more", form);
    function unfold(open) { form.classList.toggle("open", open); more.setAttribute("aria-expanded", String(open)); }
    more.addEventListener("click", function () { unfold(!form.classList.contains("open")); });
    unfold(hashState().size > 0);
    form.hidden = false;
    form.addEventListener("input", write);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    form.addEventListener("reset", function () { setTimeout(write); });
    addEventListener("hashchange", function () { read(); apply(); });
    read();
    apply();
  });

  // Long tables: filter the rows, or show only those that differ. Tables of settings: show where each value is set.
  all("table[data-filter]").forEach(function (table) {
    var rows = all("tbody tr:not(.group)", table);
    var origins = one(".value[title], a.value[href]", table) && make("label", {}, [make("input", { type: "checkbox" }), "Show where values are set"]);
    if (origins) {
      var box = one("input", origins);
      box.checked = stored("catalog-origins") === "yes";
      var showOrigins = function () { if (box.checked) tellOrigins(table); table.classList.toggle("origins", box.checked); reachable(); };
      box.addEventListener("change", function () { stored("catalog-origins", box.checked ? "yes" : null); showOrigins(); });
      if (box.checked) showOrigins();
    }
    if (rows.length < 9) {
      if (origins) table.parentNode.before(make("div", { class: "table-tools" }, [origins]));
      return;
    }
    var what = table.dataset.filter;
    var field = make("input", { type: "search", placeholder: "Filter " + what, "aria-label": "Filter " + what, autocomplete: "off" });
    var tools = make("div", { class: "table-tools" }, [field]);
    var state = make("output", { "aria-live": "polite" });
    var differing = rows.filter(function (row) { return row.classList.contains("is-different"); }).length;
    var only = make("input", { type: "checkbox" });
    if (differing && differing < rows.length) tools.append(make("label", {}, [only, "Only differences (" + differing + ")"]));
    if (origins) tools.append(origins);
    tools.append(state);
    table.parentNode.before(tools);
    if (rows.length > 30) table.parentNode.classList.add("tall");
    // A row under a spanned cell matches by the text of its first row.
    var texts = null, isPart = false;
    function read() {
      var first = "", group = null, title = "";
      return rows.map(function (row) {
        if (!row.classList.contains("again")) first = row.textContent.toLowerCase();
        // So does one under a heading by the heading.
        if (group !== row.parentNode) {
          group = row.parentNode;
          title = group.rows[0].classList.contains("group") ? group.rows[0].textContent.toLowerCase() + " " : "";
        }
        return title + first + " " + row.textContent.toLowerCase();
      });
    }
    // A list on several pages is filtered as a whole, where a page may read the others.
    var pages = (table.dataset.pages || "").split(" ").filter(Boolean);
    async function gather() {
      var wanted = pages, own = pages.indexOf("."), first = one("tbody", table);
      pages = [];
      if (!wanted.length) return;
      isPart = true;
      try {
        var bodies = await Promise.all(wanted.map(async function (page) {
          if (page === ".") return [];
          var answer = await fetch(page);
          if (!answer.ok) throw new Error(page);
          return Array.from(new DOMParser().parseFromString(await answer.text(), "text/html").querySelectorAll("table.settings tbody"));
        }));
        bodies.forEach(function (list, at) {
          list.forEach(function (body) { if (at < own) first.before(body); else table.append(body); });
        });
        rows = all("tbody tr:not(.group)", table);
        texts = null;
        isPart = false;
        if (field.value) apply();
      } catch (e) { /* from a file system, a page may not */ }
    }
    function apply() {
      texts = texts || read();
      var words = field.value.toLowerCase().trim().split(/\s+/).filter(Boolean), shown = 0;
      rows.forEach(function (row, at) {
        var fits = (!only.checked || row.classList.contains("is-different")) && words.every(function (word) { return texts[at].includes(word); });
        row.hidden = !fits;
        if (fits) shown += 1;
      });
      all("tbody", table).forEach(function (body) { body.hidden = !one("tr:not(.group):not([hidden])", body); });
      state.textContent = words.length || only.checked ? shown + " of " + rows.length + (isPart ? " on this page" : "") : "";
    }
    field.addEventListener("focus", gather);
    field.addEventListener("input", apply);
    only.addEventListener("change", apply);
  });

  // Opens the target of the hash, and everything around it.
  function openTarget() {
    var id = location.hash.slice(1);
    if (!id || id.includes("=")) return;
    var target = document.getElementById(decodeURIComponent(id));
    // A row that is not in the table is on the page of all settings.
    var whole = !target && id.startsWith("setting-") && one("a[data-all-settings]");
    if (whole) { location.replace(whole.href + "#" + id); return; }
    if (!target) return;
    for (var at = target; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
    target.scrollIntoView();
  }
  addEventListener("hashchange", openTarget);
  // On paper, everything is open.
  var closed = [];
  addEventListener("beforeprint", function () { all("table.settings").forEach(tellOrigins); closed = all("details:not([open])"); closed.forEach(function (d) { d.open = true; }); });
  addEventListener("afterprint", function () { closed.forEach(function (d) { d.open = false; }); });

  // On this page: the section being read.
  var toc = one(".toc");
  if (toc) {
    var entries = all("a", toc).map(function (link) {
      return { link: link, target: document.getElementById(decodeURIComponent(link.hash.slice(1))) };
    }).filter(function (entry) { return entry.target; });
    var current = null, waiting = false;
    var follow = function () {
      waiting = false;
      var line = innerHeight * 0.28, next = entries[0];
      entries.forEach(function (entry) { if (entry.target.getBoundingClientRect().top <= line) next = entry; });
      if (innerHeight + scrollY >= document.body.scrollHeight - 2) next = entries[entries.length - 1];
      if (!next || next === current) return;
      if (current) { current.link.classList.remove("here"); current.link.removeAttribute("aria-current"); }
      current = next;
      current.link.classList.add("here");
      current.link.setAttribute("aria-current", "location");
      if (toc.scrollWidth > toc.clientWidth) toc.scrollLeft = current.link.offsetLeft - toc.clientWidth / 2;
    };
    addEventListener("scroll", function () { if (!waiting) { waiting = true; requestAnimationFrame(follow); } }, { passive: true });
    follow();
  }
  var here = one(".side a[aria-current=page]");
  if (here && here.offsetTop > innerHeight - 200) one(".side").scrollTop = here.offsetTop - innerHeight / 2;

  // Diagrams: zoom where the picture is larger than its place or the window, drag to move, one layer at a time.
  all(".diagram-view").forEach(function (view) {
    var svg = one("svg", view);
    if (!svg || !svg.viewBox.baseVal) return;
    var scale = 0, from = null;
    function size() { return svg.viewBox.baseVal; }
    // Without a scale, the diagram has its natural size, with readable text.
    function set(next) {
      scale = next;
      view.classList.toggle("zoomed", scale > 0);
      svg.style.width = scale > 0 ? size().width * scale + "px" : "";
      reachable();
    }
    function current() { return scale || svg.getBoundingClientRect().width / size().width; }
    function fit() { return Math.min(1, (view.clientWidth - 34) / size().width, innerHeight * 0.8 / size().height); }
    var tools = make("div", { class: "diagram-tools" });
    var layers = document.body.classList.contains("p-architecture") && layersOf(svg, function () { set(0); });
    if (layers) tools.append(layers);
    if (size().width > view.clientWidth * 1.05 || size().height > innerHeight * 0.9) {
      var bar = make("div", { class: "zoom", role: "group", "aria-label": "Zoom" });
      [["−", "Zoom out", function () { set(Math.max(0.2, current() / 1.3)); }],
       ["+", "Zoom in", function () { set(Math.min(3, current() * 1.3)); }],
       ["Fit", "", function () { set(fit()); }],
       ["Full size", "", function () { set(1); }]].forEach(function (entry) {
        var button = make("button", entry[1] ? { type: "button", "aria-label": entry[1], title: entry[1], text: entry[0] } : { type: "button", text: entry[0] });
        button.addEventListener("click", entry[2]);
        bar.append(button);
      });
      tools.append(bar);
    }
    if (tools.children.length) view.before(tools);
    set(0);
    var middle = one(".d-current", svg);
    if (middle && view.scrollWidth > view.clientWidth) {
      var box = middle.getBoundingClientRect(), around = view.getBoundingClientRect();
      view.scrollLeft = box.left + box.width / 2 - around.left - around.width / 2;
    }
    view.addEventListener("pointerdown", function (e) {
      if (scale > 0 && e.pointerType === "mouse" && !e.target.closest("a")) from = { x: e.clientX + view.scrollLeft, y: e.clientY + view.scrollTop };
    });
    addEventListener("pointermove", function (e) { if (from) { view.scrollLeft = from.x - e.clientX; view.scrollTop = from.y - e.clientY; } });
    addEventListener("pointerup", function () { from = null; });
  });
  // The whole graph by layer: a layer with its neighbours, and the edges between them. Layers and the ends of edges are
  // recognised by position.
  function layersOf(svg, changed) {
    var frames = all("rect.d-group", svg).map(function (rect) { return { elements: [rect], box: rect.getBBox() }; });
    if (frames.length < 2) return null;
    all(".d-group-label", svg).forEach(function (label, at) {
      frames[at].elements.push(label);
      frames[at].name = (one("title", label) || label).textContent;
    });
    function apart(box, x, y) { return Math.hypot(Math.max(box.x - x, 0, x - box.x - box.width), Math.max(box.y - y, 0, y - box.y - box.height)); }
    function nearest(things, x, y) {
      return things.reduce(function (best, thing) { return apart(thing.box, x, y) < apart(best.box, x, y) ? thing : best; });
    }
    var nodes = all(".d-node", svg).map(function (node) {
      var box = one("rect", node).getBBox();
      return { elements: [node.closest("a") || node], box: box, frame: nearest(frames, box.x + box.width / 2, box.y + box.height / 2) };
    });
    var edges = all(".d-edge", svg).map(function (path) {
      var ends = [0, path.getTotalLength()].map(function (at) { var point = path.getPointAtLength(at); return nearest(nodes, point.x, point.y); });
      return { elements: [path], box: path.getBBox(), ends: ends };
    });
    var original = ["viewBox", "width", "height"].map(function (name) { return [name, svg.getAttribute(name)]; });
    var choice = make("select", {}, [make("option", { value: "", text: "All" })].concat(frames.map(function (frame, at) { return make("option", { value: at, text: frame.name }); })));
    var state = make("output", { "aria-live": "polite" });
    choice.addEventListener("change", function () {
      var chosen = choice.value === "" ? null : frames[choice.value];
      var shown = new Set(chosen ? [chosen] : frames);
      edges.forEach(function (edge) { if (!chosen || edge.ends.some(function (node) { return node.frame === chosen; })) [edge].concat(edge.ends).forEach(function (thing) { shown.add(thing); }); });
      nodes.forEach(function (node) { if (!chosen || node.frame === chosen) shown.add(node); });
      frames.concat(nodes, edges).forEach(function (thing) {
        thing.elements.forEach(function (element) { element.classList.toggle("d-out", !shown.has(thing)); });
      });
      original.forEach(function (pair) { svg.setAttribute(pair[0], pair[1]); });
      if (chosen) {
        var boxes = Array.from(shown, function (thing) { return thing.box; });
        var left = Math.min.apply(null, boxes.map(function (b) { return b.x; })) - 8, top = Math.min.apply(null, boxes.map(function (b) { return b.y; })) - 8;
        var wide = Math.max.apply(null, boxes.map(function (b) { return b.x + b.width; })) + 8 - left, high = Math.max.apply(null, boxes.map(function (b) { return b.y + b.height; })) + 8 - top;
        svg.setAttribute("viewBox", [left, top, wide, high].join(" "));
        svg.setAttribute("width", wide);
        svg.setAttribute("height", high);
      }
      var count = nodes.filter(function (node) { return shown.has(node); }).length;
      state.textContent = chosen ? count + " of " + nodes.length + " shown, including neighbours" : "";
      changed();
    });
    return make("div", { class: "layer-filter" }, [make("label", {}, [frames.every(function (frame) { return /^Wave /.test(frame.name); }) ? "Wave " : "Layer ", choice]), state]);
  }

  // The navigation on a phone closes with Escape.
  var drawer = document.getElementById("nav-open");
  if (drawer) {
    drawer.checked = false;
    addEventListener("keydown", function (e) { if (e.key === "Escape" && drawer.checked) { drawer.checked = false; drawer.focus(); } });
  }

  var due = false;
  function reachableSoon() { if (!due) { due = true; requestAnimationFrame(function () { due = false; reachable(); }); } }
  reachable();
  addEventListener("resize", reachableSoon);
  // A closed <details> had no size until now.
  document.addEventListener("toggle", reachableSoon, true);
  openTarget();
})();
