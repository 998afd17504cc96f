// Search: from anywhere, over a server and from a file system. `crates/search` writes the index and splits words in the
// same way; theme/VIEWS.md has the format.
(function () {
  "use strict";
  var root = document.documentElement;
  var base = root.dataset.base || "", openers = Array.from(document.querySelectorAll("[data-search-open]"));
  if (!openers.length || !root.dataset.search || !window.HTMLDialogElement) return;

  // The index. Its parts are scripts, since those load from a file system as well: each calls catalogSearch.
  var index = null, shards = {}, documents = {}, rows = {}, grams = {}, loading = {};
  window.catalogSearch = {
    index: function (value) { index = value; },
    shard: function (key, terms) { shards[key] = terms; },
    documents: function (number, list) { documents[number] = list; },
    rows: function (number, lists) { Object.assign(rows, lists); },
    grams: function (lists) { Object.assign(grams, lists); }
  };
  function load(file) {
    if (!loading[file]) {
      loading[file] = new Promise(function (resolve, reject) {
        var script = make("script", { src: base + file });
        script.addEventListener("load", resolve);
        script.addEventListener("error", function () { delete loading[file]; script.remove(); reject(new Error(file)); });
        document.head.append(script);
      });
    }
    return loading[file];
  }
  function loadAll(files) { return Promise.all(Array.from(new Set(files)).map(load)); }
  // The file of a sorted list `[first, file, first, file, …]` that has `key`: the last one that does not begin after it.
  function fileOf(list, key) {
    var low = 0, high = list.length / 2;
    while (low < high) {
      var middle = (low + high) >> 1;
      if (list[2 * middle] <= key) low = middle + 1; else high = middle;
    }
    return low ? list[2 * low - 1] : null;
  }

  // What is typed. Weights of terms are bits, as the index has them.
  var TITLE = 64, NAME = 32, SUBJECT = 16, KIND = 8, VALUE = 4, HEADING = 2;
  // The longest list of the index, in numbers: it does not rule out the documents that are not in it.
  var FULL = 400;
  var SHORT_KINDS = { cm: "configmap", crd: "customresourcedefinition", deploy: "deployment", ds: "daemonset", hr: "helmrelease", ing: "ingress", ks: "kustomization", ns: "namespace", po: "pod", pvc: "persistentvolumeclaim", sa: "serviceaccount", sts: "statefulset", svc: "service" };
  // Words for a kind of row, which narrow a query down and need not be in the index.
  var KIND_WORDS = { address: "address", alert: "alert", chart: "chart", file: "file", finding: "finding", host: "address", image: "image", namespace: "namespace", owner: "owner", port: "port", runbook: "runbook", setting: "setting", tag: "image", url: "address", version: "version", volume: "volume" };

  function plain(text) { return text.normalize("NFKD").replace(/\p{M}/gu, ""); }
  function fold(text) { return plain(text).toLowerCase().replace(/ς/g, "σ"); }
  // Without what surrounds a name where it is copied from: a scheme, quotes, brackets, a full stop.
  function bare(text) {
    return fold(text).trim().replace(/^[\s"'`“”‘’([{<,;]+/, "").replace(/[\s"'`“”‘’)\]}>,;.:!?]+$/, "").replace(/^[a-z][a-z0-9+.-]*:\/\//, "").replace(/\/+$/, "");
  }
  function spaced(text) { return text.replace(/[^\p{L}\p{N}]+/gu, " ").trim(); }
  // Each word once: its term, and its parts where it was written in several.
  function words(query) {
    var found = new Map(), hosts = [], text = plain(query).replace(/\b[a-z][a-z0-9+.-]*:\/\//gi, " ").replace(/(^|[\s"'`])([a-z]{2,6})\//gi, function (all, before, kind) {
      return before + (SHORT_KINDS[kind.toLowerCase()] || kind) + "/";
    });
    // In `kind/name` and `namespace/name`, the name is what must be there: few charts say what they create.
    var pair = /^([\p{L}\p{N}-]+)\/[\p{L}\p{N}.-]+$/u.exec(text.trim()), minor = pair ? fold(pair[1]).split("-") : [];
    function add(term, word) { if (term.length > 1 && !found.has(term)) found.set(term, { term: term.slice(0, 64), written: word, isMinor: minor.includes(term) && !text.slice(pair[0].indexOf("/")).toLowerCase().includes(term) }); }
    // A host is a term as a whole, and its words if nothing has it.
    text.replace(/(?<![\p{L}\p{N}._-])[a-z0-9-]+(?:\.[a-z0-9-]+){2,}(?![\p{L}\p{N}_-])/gu, function (host) { if (/\.[a-z][a-z0-9-]*$/.test(host) && host.length <= 64) hosts.push(host); return ""; });
    text = text.replace(/(?<![\p{L}\p{N}])v?(\d+(?:\.\d+)+)/giu, function (all, number) { add(number, number); return " "; });
    text.split(/[^\p{L}\p{N}]+/u).forEach(function (word) { add(fold(word), word); });
    return { words: Array.from(found.values()).slice(0, 24), hosts: hosts.slice(0, 3) };
  }
  function partsOf(word) {
    var parts = word.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) || [];
    return parts.length > 1 ? parts.filter(function (part) { return part.length > 2; }).map(fold) : [];
  }

  // The shard that holds the terms beginning with `word`: that of the longest key that the word begins with.
  function keyFor(word) {
    for (var end = word.length; end >= 0; end -= 1) {
      if (Object.hasOwn(index.shards, word.slice(0, end))) return word.slice(0, end);
    }
    return null;
  }
  function loadShards(terms) {
    var keys = terms.map(keyFor).filter(function (key) { return key !== null; });
    return loadAll(keys.map(function (key) { return index.shards[key]; }));
  }
  // What a document is worth to a word, by where it has it.
  function worth(bits) {
    return bits & TITLE ? 10 : bits & NAME ? 7 : bits & KIND ? 5 : bits & SUBJECT ? 4 : bits & HEADING ? 3 : bits & VALUE ? 2.5 : 1.5;
  }
  function note(best, list, closeness) {
    for (var i = 0; i < list.length; i += 2) {
      var score = worth(list[i + 1]) * closeness, known = best.get(list[i]);
      if (!known) best.set(list[i], { score: score, bits: list[i + 1] });
      else { known.score = Math.max(known.score, score); known.bits |= list[i + 1]; }
    }
  }
  // The documents with a term that begins with the word, and whether all others can be ruled out.
  function direct(word) {
    var best = new Map(), key = keyFor(word.term), terms = key === null ? {} : shards[key] || {};
    word.rules = !Object.keys(index.shards).some(function (key) { return key.length > word.term.length && key.startsWith(word.term); });
    Object.keys(terms).forEach(function (term) {
      if (!term.startsWith(word.term)) return;
      if (terms[term].length >= FULL) word.rules = false;
      note(best, terms[term], term === word.term ? 1 : 0.35 + 0.5 * word.term.length / term.length);
    });
    return best;
  }

  // How many letters to change, leave out, add or swap: between two words, and to the beginning of the second.
  function edits(a, b) {
    var before = null, last = Array.from({ length: b.length + 1 }, function (_, at) { return at; });
    for (var i = 1; i <= a.length; i += 1) {
      var next = [i];
      for (var j = 1; j <= b.length; j += 1) {
        next[j] = Math.min(last[j] + 1, next[j - 1] + 1, last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
        if (before && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) next[j] = Math.min(next[j], before[j - 2] + 1);
      }
      before = last;
      last = next;
    }
    return { whole: last[b.length], beginning: Math.min.apply(null, last) };
  }
  // Terms that have the word inside, or else that it may have been meant to be: at most four, the likeliest first. Of
  // `most` changes to a word in `most + 1` pieces, one piece has none.
  async function similar(word) {
    var length = word.length, most = length < 4 ? 0 : length < 8 ? 1 : 2;
    // Several digits are a hash or a number, which nobody mistypes.
    if (length < 3 || /\d.*\d/.test(word) || !index.grams.length || !/^[a-z0-9]+$/.test(word)) return [];
    var bounded = "^" + word + "$", size = Math.floor(bounded.length / (most + 1));
    var inside = word.substr(Math.floor((length - 3) / 2), 3);
    var pieces = most ? Array.from({ length: most + 1 }, function (_, at) { return bounded.substr(at * size, 3); }) : [];
    await loadAll([inside].concat(pieces).map(function (gram) { return fileOf(index.grams, gram); }).filter(Boolean));
    function terms(gram) { return Object.hasOwn(grams, gram) ? grams[gram].split(" ") : []; }
    var found = terms(inside).filter(function (term) { return term.includes(word); }).sort(function (a, b) { return a.length - b.length; });
    if (found.length) return found.slice(0, 4).map(function (term) { return { term: term, closeness: 0.3 + 0.4 * length / term.length }; });
    var near = Array.from(new Set(pieces.flatMap(terms))).map(function (term) {
      var apart = edits(word, term);
      return { term: term, apart: apart.whole <= most ? apart.whole : length > 4 && apart.beginning <= 1 ? apart.beginning + 1.5 : 9 };
    }).filter(function (one) { return one.apart < 9; });
    near.sort(function (a, b) { return a.apart - b.apart || (a.term[0] === word[0] ? 0 : 1) - (b.term[0] === word[0] ? 0 : 1) || a.term.length - b.term.length; });
    return near.filter(function (one) { return one.apart === near[0].apart; }).slice(0, 4).map(function (one) { return { term: one.term, closeness: 0.6 / (1 + 0.5 * one.apart) }; });
  }

  // The documents of each word. A word that nothing has becomes the terms that it resembles, or the words it consists of.
  async function match(query) {
    var wanted = query.words, all = [];
    await loadShards(wanted.map(function (word) { return word.term; }).concat(query.hosts));
    query.hosts.forEach(function (host) {
      var word = { term: host, written: host }, parts = fold(host).split(/[^a-z0-9]+/);
      if (!direct(word).size) return;
      // The rest of an address is a path that the application knows.
      wanted.forEach(function (other) { other.isMinor = true; });
      wanted = [word].concat(wanted.filter(function (other) { return !parts.includes(other.term); }));
    });
    for (var i = 0; i < wanted.length; i += 1) {
      var word = wanted[i];
      word.forms = [{ term: word.term, closeness: 1 }];
      word.found = direct(word);
      if (!word.found.size) {
        var terms = wanted.length > 8 ? [] : await similar(word.term);
        if (terms.length) {
          await loadShards(terms.map(function (one) { return one.term; }));
          terms.forEach(function (one) {
            var key = keyFor(one.term);
            note(word.found, (key !== null && shards[key] || {})[one.term] || [], one.closeness);
          });
          word.forms = terms;
        } else {
          var parts = partsOf(word.written).filter(function (part) { return !wanted.some(function (other) { return other.term === part; }); });
          wanted.push.apply(wanted, parts.slice(0, 6).map(function (part) { return { term: part, written: part, isPart: true }; }));
          await loadShards(parts);
          word.isReplaced = parts.length > 0;
        }
      }
      // Somebody who names a component does not mean the rows of another that lacks the name.
      word.isTitle = Array.from(word.found.values()).some(function (found) { return found.bits & TITLE && found.score >= 10; });
      word.rarity = Math.max(0.25, 1 - Math.log(1 + word.found.size) / Math.log(2 + index.size * index.documents.length));
      var kind = Object.hasOwn(KIND_WORDS, word.term) ? word.term : word.term.replace(/(e?s)$/, "");
      word.kind = wanted.length > 1 && Object.hasOwn(KIND_WORDS, kind) ? KIND_WORDS[kind] : null;
      word.environments = wanted.length > 1 ? index.environments.map(function (_, at) { return at; }).filter(function (at) {
        var name = fold(index.environments[at]);
        return name === word.term || name.startsWith(word.term + "-");
      }) : [];
      // Only what is asked for by name rules others out.
      if (word.isPart || word.isMinor || word.kind || word.environments.length) word.rules = false;
      all.push(word);
    }
    return all;
  }
  // Documents that have every word come first, and with them those whose name has so much of it that the rest matters less.
  function rank(wanted) {
    var hits = new Map(), asked = wanted.filter(function (word) { return word.found.size; });
    var needed = asked.filter(function (word) { return word.rules; }).length;
    asked.forEach(function (word) {
      word.found.forEach(function (found, id) {
        var hit = hits.get(id) || { id: id, score: 0, matched: 0, needed: 0 };
        hit.score += found.score * word.rarity;
        hit.matched += 1;
        if (word.rules) hit.needed += 1;
        hits.set(id, hit);
      });
    });
    var count = asked.filter(function (word) { return !word.isMinor && !word.kind && !word.environments.length; }).length;
    var ranked = Array.from(hits.values());
    ranked.forEach(function (hit) {
      hit.isWhole = needed ? hit.needed === needed : hit.matched >= count;
      hit.score *= hit.isWhole ? 1 : hit.matched / asked.length;
    });
    ranked.sort(function (a, b) { return b.score - a.score || a.id - b.id; });
    var best = ranked.find(function (hit) { return hit.isWhole; });
    return best ? ranked.filter(function (hit) { return hit.isWhole || hit.score > best.score; }) : ranked;
  }

  // Documents and their rows, as results in groups.
  var GROUPS = [
    ["Components", ["component"]],
    ["Runbooks and alerts", ["runbook", "alert"]],
    ["Settings", ["setting", "input", "output"]],
    ["Versions, images and addresses", ["version", "chart", "image", "address", "port", "volume"]],
    ["Objects and files", ["object", "file"]],
    ["Pages", ["page", "decision", "spec", "record", "environment", "API group"]],
    ["Recent changes", ["commit"]],
    ["Findings", ["rule", "finding"]]
  ];
  function groupOf(kind) { return GROUPS.findIndex(function (group) { return group[1].includes(kind); }); }
  // What a word in the title and in the value of a row is worth.
  var ROW_WORTH = { alert: [9, 3], runbook: [8.5, 4], setting: [7, 6], version: [5, 8], image: [8, 3], address: [8, 3], port: [8, 3], chart: [6, 5], object: [7, 2], volume: [6, 4], file: [5, 1], finding: [5, 2], text: [3, 1.5] };
  var ANCHORS = { version: "overview", chart: "overview", image: "overview", address: "overview", port: "overview", volume: "overview", owner: "overview", contact: "overview", input: "interface", output: "interface", finding: "findings", object: "related", file: "related" };
  var MOST_DOCUMENTS = 12, MOST_READ = 8, MOST_FIRST = 8, MOST_OTHERS = 4;

  // How well a text has a term: as a word, at the beginning of one, or inside.
  function placed(text, low, term) {
    var best = 0;
    for (var at = low.indexOf(term); at >= 0 && best < 1; at = low.indexOf(term, at + 1)) {
      var end = at + term.length, isCapital = low.length === text.length && at > 0 && text[at] !== low[at] && text[at - 1] === low[at - 1];
      var begins = at === 0 || isCapital || !/[\p{L}\p{N}]/u.test(low[at - 1]), ends = end === low.length || !/[\p{L}\p{N}]/u.test(low[end]);
      best = Math.max(best, begins && ends ? 1 : begins ? 0.7 : 0.45);
    }
    return best;
  }
  function formsPlaced(word, text, low) {
    return Math.max.apply(null, word.forms.map(function (form) { return placed(text, low, form.term) * form.closeness; }));
  }
  // A row as the index has it: its value is a text, or pairs of a text and the environments that have it. A generated
  // runbook also has those of its aliases that have most words of the query.
  function readRow(row, wanted) {
    var values = typeof row[2] === "string" ? (row[2] ? [{ text: row[2], environments: [] }] : []) : [];
    for (var i = 0; typeof row[2] !== "string" && i < row[2].length; i += 2) values.push({ text: row[2][i], environments: row[2][i + 1] });
    var kind = index.kinds[row[0]];
    if (kind === "runbook" && Object.hasOwn(index.aliases, row[1])) {
      var known = index.aliases[row[1]].map(function (alias) {
        var low = fold(alias);
        return { text: alias, environments: [], words: wanted.filter(function (word) { return formsPlaced(word, alias, low) > 0.5; }).length };
      });
      var most = Math.max.apply(null, known.map(function (alias) { return alias.words; }));
      values = values.concat(known.filter(function (alias) { return most && alias.words === most; }));
    }
    return { kind: kind, title: row[1], values: values, anchor: row[3] };
  }
  // The row with its score, or nothing if it is no answer to the query.
  function judge(row, wanted, phrase, hit, isLoose) {
    var low = fold(row.title), values = row.values.map(function (value) { return fold(value.text); });
    var worthOf = ROW_WORTH[row.kind] || [6, 3], score = 0, own = 0, isCovered = true;
    wanted.forEach(function (word) {
      if (!word.found.size && !word.kind) return;
      var title = formsPlaced(word, row.title, low) * worthOf[0];
      var value = Math.max.apply(null, [0].concat(values.map(function (text, at) { return formsPlaced(word, row.values[at].text, text); }))) * worthOf[1];
      var best = Math.max(title, value), found = word.found.get(hit.id), isName = found && found.bits & (TITLE | NAME);
      // The settings of what was named come before those of others that mention it.
      if (best) { score += (best + (isName ? 1.5 : 0)) * (hit.isWhole ? 1 : word.rarity); own += 1; return; }
      if (word.kind === row.kind) { score += 6; return; }
      if (word.environments.length) { score += row.values.some(function (one) { return one.environments.some(function (at) { return word.environments.includes(at); }); }) ? 2 : 0; return; }
      if (isName) score += found.bits & TITLE && found.score >= 10 ? 3 : 2;
      else if (found && !word.isPart && !word.isMinor) isCovered = false;
    });
    var isNamed = wanted.some(function (word) { return word.kind === row.kind; });
    if (!own && !isNamed || !isLoose && !isCovered) return null;
    var bareTitle = bare(row.title), isLong = phrase.length > 3;
    if (bareTitle === phrase) score += 25;
    else if (row.kind === "object" && bareTitle.split("/")[1] === phrase) score += 10;
    else if (worthOf[1] > 2 && values.some(function (value) { return bare(value) === phrase; })) score += 20;
    else if (isLong && placed(row.title, low, phrase) > 0.5) score += 8;
    else if (isLong && values.some(function (value) { return placed(value, value, phrase) > 0.5; })) score += 6;
    else if (bareTitle.length > 5 && phrase.includes(bareTitle)) score += 6;
    if (wanted.some(function (word) { return word.isTitle && !word.found.has(hit.id); })) score *= 0.3;
    row.score = score + hit.share;
    row.own = own;
    return row;
  }
  function answer(hit, shown, wanted, phrase) {
    var about = null, found = [], group = groupOf(shown[2]), names = spaced(fold(shown[0])).split(" ");
    // Of "app" and "app worker", rows of the first answer "app OOMKilled".
    hit.share = names.filter(function (name) { return wanted.some(function (word) { return word.term === name; }); }).length / names.length;
    (rows[hit.id] || []).forEach(function (one) {
      var row = judge(readRow(one, wanted), wanted, phrase, hit, false), isResult = row && groupOf(row.kind) >= 0;
      if (isResult) found.push(row);
      // Prose shows the sentence even if it lacks a word that the title has.
      if (!row) row = judge(readRow(one, wanted), wanted, phrase, hit, true);
      // The line below a title has the namespace already.
      if (row && row.own && groupOf(row.kind) < 0 && !(row.kind === "namespace" && shown[3].includes(row.title)) && (!about || row.score > about.score)) about = row;
    });
    var title = spaced(bare(shown[0])), asked = spaced(phrase), score = 0, isNamed = true, isOwn = true, named = 0;
    // The name of a pod ends in what nothing here has.
    var isPod = !/\s/.test(phrase) && wanted.some(function (word) { return !word.found.size; });
    var isExact = wanted.every(function (word) { return word.forms[0].closeness === 1; });
    wanted.filter(function (word) { return word.found.size && !word.environments.length; }).forEach(function (word) {
      var at = word.found.get(hit.id);
      if (!at) return;
      score += (at.bits & ~(SUBJECT | VALUE) || groupOf(shown[2]) !== 0 ? at.score : at.score / 3) * (hit.isWhole ? 1 : word.rarity);
      if (at.bits & (TITLE | NAME)) named += 1; else isNamed = false;
      if (!(at.bits & ~(SUBJECT | VALUE))) isOwn = false;
    });
    // What it has is asked for, not itself.
    if (!isOwn && found.length) score *= 0.6;
    if (title === asked || title.replace(/ /g, "") === asked.replace(/ /g, "")) score += 30;
    // After the namespace, a title has the name.
    else if (asked.length > 2 && shown[2] === "component" && title.endsWith(" " + asked)) score += 18;
    else if (asked.length > 2 && title.startsWith(asked)) score += title[asked.length] === " " ? 20 : 10;
    else if (title.length > 2 && asked.startsWith(title + " ")) score += isPod ? 20 : isNamed ? 6 : 0;
    if (shown[2] === "environment" && isNamed) score += 12;
    // A subject is known by several of its words in a row.
    if (shown[2] === "commit" && asked.includes(" ") && title.includes(asked)) score += 15;
    // If the name of the component is all that was asked for, most of its rows have it too.
    if (isNamed) found.forEach(function (row) { if (row.score < 25 || row.kind === "chart") row.score *= 0.6; });
    var results = found.map(function (row) {
      return { group: groupOf(row.kind), kind: row.kind, title: row.kind === "version" ? shown[0] + " version" : row.title, href: shown[1] + anchorOf(row), from: row.kind === "version" ? "" : shown[0], values: row.values, score: row.score };
    });
    // A document is an answer itself unless only its rows are.
    if (shown[2] === "commit" || named && (isNamed || rows[hit.id]) || rows[hit.id] && (isOwn || !results.length)) {
      var isProse = about && about.kind === "text";
      if (about && !isProse && bare(about.title) === phrase) score += 12;
      // Somebody wrote a runbook about just this.
      if (about && shown[2] === "runbook" && isExact && phrase.length > 8 && fold(about.values[0] ? about.values[0].text : "").includes(phrase)) score += 14;
      var anchor = isProse && about.anchor && !shown[1].includes("#") && group !== 0 ? "#" + about.anchor : "";
      results.push({ group: group, kind: shown[2], title: shown[0], href: shown[1] + anchor, from: shown[3], text: about && (!isProse ? about.kind + " " + about.title : about.values.length ? about.values[0].text : about.title), isProse: isProse, values: [], score: score });
    }
    return results;
  }
  function anchorOf(row) {
    var anchor = row.anchor || (row.kind === "setting" ? "setting-" + row.title : ANCHORS[row.kind]);
    return anchor ? "#" + encodeURI(anchor) : "";
  }

  // The same image, file, port or finding of several components is one result.
  function merged(results) {
    var known = new Map();
    return results.filter(function (result) {
      var isShared = ["image", "file", "chart", "address", "port", "finding"].includes(result.kind);
      var key = [isShared ? "" : result.from + result.href.split("#")[0], result.kind, result.title, result.values.map(function (value) { return value.text; })].join("\n");
      var first = known.get(key);
      if (!first) { known.set(key, result); return true; }
      if (isShared && first.from !== result.from) first.others = (first.others || 0) + 1;
      first.score = Math.max(first.score, result.score);
      return false;
    });
  }
  var CANCELLED = new Error("another query");
  async function find(query, check) {
    var phrase = bare(query);
    await load(root.dataset.search);
    check();
    var wanted = await match(words(query));
    check();
    var ranked = rank(wanted), top = ranked.slice(0, MOST_DOCUMENTS), read = top.slice(0, MOST_READ);
    await loadAll(top.map(function (hit) { return index.documents[Math.floor(hit.id / index.size)]; }).concat(read.map(function (hit) { return fileOf(index.rows, hit.id); }).filter(Boolean)));
    check();
    var results = top.flatMap(function (hit) {
      return answer(hit, documents[Math.floor(hit.id / index.size)][hit.id % index.size], wanted, phrase).map(function (result, at) { result.order = [hit.id, at]; return result; });
    });
    var groups = GROUPS.map(function (group, at) {
      var hits = results.filter(function (result) { return result.group === at; });
      hits = merged(hits);
      // Others may be among the documents that were not read.
      hits.forEach(function (hit) { hit.isPartial = ranked.length > MOST_READ; });
      hits.sort(function (a, b) { return b.score - a.score || a.order[0] - b.order[0] || a.order[1] - b.order[1]; });
      return { title: group[0], hits: hits, score: hits.length ? hits[0].score : 0 };
    }).filter(function (group) { return group.hits.length; });
    groups.sort(function (a, b) { return b.score - a.score; });
    groups.forEach(function (group, at) { group.count = group.hits.length; group.hits = group.hits.slice(0, at ? MOST_OTHERS : MOST_FIRST); });
    return {
      groups: groups,
      more: ranked.length - top.length,
      missing: wanted.filter(function (word) { return !word.found.size && !word.isPart && !word.isReplaced && !word.kind && !word.environments.length; }).map(function (word) { return word.written; }),
      terms: wanted.flatMap(function (word) { return word.forms.map(function (form) { return form.term; }); })
    };
  }

  // The dialog.
  function make(tag, attributes, children) {
    var element = document.createElement(tag);
    Object.entries(attributes || {}).forEach(function (pair) {
      if (pair[0] === "text") element.textContent = pair[1];
      else element.setAttribute(pair[0], pair[1]);
    });
    (children || []).forEach(function (child) { element.append(child); });
    return element;
  }
  function glass() {
    var drawn = openers[0].querySelector("svg");
    return drawn ? drawn.cloneNode(true) : "";
  }
  function marked(text, terms) {
    var span = document.createDocumentFragment(), at = 0, low = text.toLowerCase();
    while (at < text.length) {
      var next = -1, length = 0;
      terms.forEach(function (term) {
        var found = low.indexOf(term, at);
        if (found >= 0 && (next < 0 || found < next || found === next && term.length > length)) { next = found; length = term.length; }
      });
      if (next < 0) break;
      span.append(text.slice(at, next), make("mark", { text: text.slice(next, next + length) }));
      at = next + length;
    }
    span.append(text.slice(at));
    return span;
  }
  // As much of a text as fits, around the place where most of the terms are.
  var EXCERPT = 150, MOST_VALUES = 3;
  function excerpt(text, terms) {
    if (text.length <= EXCERPT) return text;
    var low = text.toLowerCase(), best = 0, most = 0;
    terms.forEach(function (term) {
      for (var at = low.indexOf(term), tries = 0; at >= 0 && tries < 20; at = low.indexOf(term, at + 1), tries += 1) {
        var around = low.slice(Math.max(0, at - 50), at + 100), count = terms.filter(function (other) { return around.includes(other); }).length;
        if (count > most) { most = count; best = at; }
      }
    });
    var stop = text.lastIndexOf(". ", best), start = stop >= 0 && best - stop < 60 ? stop + 2 : Math.max(0, text.lastIndexOf(" ", Math.max(0, best - 40)) + 1);
    return (start ? "… " : "") + text.slice(start, start + EXCERPT) + (start + EXCERPT < text.length ? "…" : "");
  }
  // The values of a row, those that match first, and each with its environments: "prod 2, dev 1".
  function valuesOf(hit, terms) {
    var list = hit.values.slice();
    function has(value) { return terms.some(function (term) { return fold(value.text).includes(term); }); }
    var shown = list.filter(has).concat(list.filter(function (value) { return !has(value); })).slice(0, MOST_VALUES);
    shown.sort(function (a, b) { return list.indexOf(a) - list.indexOf(b); });
    var parts = document.createDocumentFragment();
    shown.forEach(function (value, at) {
      if (at) parts.append(" · ");
      var names = value.environments.map(function (one) { return index.environments[one]; });
      if (names.length) parts.append(make("span", { class: "env", text: names.length > 2 ? names[0] + " and " + (names.length - 1) + " more" : names.join(", ") }), " ");
      parts.append(make("code", {}, [marked(excerpt(value.text, terms), terms)]));
    });
    if (list.length > shown.length) parts.append(" · " + (list.length - shown.length) + " more");
    return parts;
  }
  function option(hit, terms, at) {
    var about = make("small", { class: "ctx" });
    if (hit.from) about.append(marked(hit.from, terms), hit.others ? " and " + (hit.isPartial ? "others" : hit.others + " more") : "", hit.values.length ? " · " : "");
    about.append(valuesOf(hit, terms));
    var children = [make("b", {}, [marked(hit.title, terms)]), make("small", { text: hit.kind }), about];
    if (hit.text) children.push(make("small", { class: "ctx quote" }, [marked(excerpt(hit.text, terms), terms)]));
    return make("a", { id: "hit-" + at, role: "option", tabindex: "-1", href: base + hit.href }, children);
  }
  var input = make("input", { type: "search", role: "combobox", "aria-label": "Search the catalogue", "aria-controls": "hits", "aria-expanded": "false", "aria-autocomplete": "list", placeholder: "Name, alert, error, setting, image, host, port, …", autocomplete: "off", spellcheck: "false" });
  var close = make("button", { type: "button", class: "finder-close", "aria-label": "Esc: close search" }, [make("kbd", { text: "Esc" })]);
  var list = make("div", { id: "hits", class: "hits", role: "listbox", "aria-label": "Results" });
  var state = make("p", { class: "finder-state", role: "status" });
  var dialog = make("dialog", { class: "finder", "aria-label": "Search" }, [make("div", { class: "finder-field" }, [glass(), input, close]), list, state]);
  document.body.append(dialog);
  var selected = -1, turn = 0;
  function options() { return Array.from(list.querySelectorAll("[role=option]")); }
  function select(at) {
    var all = options();
    selected = all.length ? (at + all.length) % all.length : -1;
    all.forEach(function (one, i) { one.setAttribute("aria-selected", i === selected ? "true" : "false"); });
    if (selected < 0) { input.removeAttribute("aria-activedescendant"); return; }
    input.setAttribute("aria-activedescendant", all[selected].id);
    if (selected === 0) list.scrollTop = 0; else all[selected].scrollIntoView({ block: "nearest" });
  }
  function fill(children, query) {
    list.replaceChildren.apply(list, children);
    list.hidden = !children.length;
    list.dataset.query = query;
    input.setAttribute("aria-expanded", children.length ? "true" : "false");
    select(0);
  }
  function idle() {
    fill([], "");
    state.textContent = "↑↓ select · ↵ open · esc close";
  }
  function told(result, shown) {
    var text = shown === 0 ? "No results" : shown === 1 ? "1 result" : shown + " results";
    if (shown && result.missing.length) text += ", without " + result.missing.slice(0, 3).map(function (word) { return "“" + word + "”"; }).join(", ");
    var many = result.more >= FULL / 2 - MOST_DOCUMENTS;
    if (result.more > 0) text += ", and " + (many ? "many" : result.more) + (result.more === 1 ? " more page" : " more pages") + ": add a word to narrow it down";
    return text;
  }
  function run() {
    var mine = turn += 1, query = input.value;
    if (!words(query).words.length) { idle(); return; }
    find(query, function () { if (mine !== turn) throw CANCELLED; }).then(function (result) {
      var at = 0;
      fill(result.groups.map(function (group) {
        var hits = group.hits.map(function (hit) { return option(hit, result.terms, at++); });
        return make("div", { role: "group", "aria-label": group.title }, [make("div", { class: "hits-group", "aria-hidden": "true", text: group.title })].concat(hits));
      }), query);
      state.textContent = told(result, at);
    }).catch(function (error) { if (error !== CANCELLED && mine === turn) state.textContent = "Could not load the search index."; });
  }
  function show() {
    if (dialog.open) return;
    dialog.showModal();
    idle();
    if (input.value) { input.select(); run(); }
    load(root.dataset.search).catch(function () {});
  }
  // The page for unknown addresses looks for what its address names.
  var suggest = document.querySelector("[data-suggest]");
  if (suggest) {
    var asked = "";
    try { asked = decodeURIComponent(location.pathname); } catch (e) { asked = location.pathname; }
    var query = (asked.split("/").filter(Boolean).pop() || "").replace(/\.[a-z]+$/i, "").replace(/[-_.]+/g, " ").slice(0, 80);
    if (query && query !== "404" && words(query).words.length) {
      find(query, function () {}).then(function (result) {
        var hits = result.groups.flatMap(function (group) { return group.hits; }).filter(function (hit) { return !hit.href.includes("#"); }).slice(0, 8);
        suggest.querySelector("ul").replaceChildren.apply(suggest.querySelector("ul"), hits.map(function (hit) {
          return make("li", {}, [make("a", { href: base + hit.href, text: hit.title }), " ", make("small", { class: "muted", text: hit.kind })]);
        }));
        suggest.hidden = !hits.length;
      }).catch(function () { /* the other links remain */ });
    }
  }
  openers.forEach(function (opener) { opener.hidden = false; opener.addEventListener("click", show); });
  close.addEventListener("click", function () { dialog.close(); });
  dialog.addEventListener("click", function (e) { if (e.target === dialog) dialog.close(); });
  list.addEventListener("click", function (e) { if (e.target.closest("a")) dialog.close(); });
  input.addEventListener("input", run);
  input.addEventListener("keydown", function (e) {
    if (e.key === "ArrowDown") { e.preventDefault(); select(selected + 1); }
    else if (e.key === "ArrowUp") { e.preventDefault(); select(selected - 1); }
    else if (e.key === "Enter") { var link = options()[selected]; if (link) { e.preventDefault(); link.click(); } }
    else if (e.key === "Escape") { e.preventDefault(); dialog.close(); }
  });
  addEventListener("keydown", function (e) {
    var typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName) && e.target.type !== "checkbox" || e.target.isContentEditable;
    if ((e.key === "/" && !typing && !e.ctrlKey && !e.metaKey && !e.altKey) || (e.key === "k" && (e.ctrlKey || e.metaKey))) { e.preventDefault(); show(); }
  });
})();
