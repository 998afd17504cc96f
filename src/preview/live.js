// Keeps an open page as the repository is: listens for changes, reloads where that is needed and keeps the place, takes a
// new style without a reload, and shows what is wrong over the last good page.
(() => {
  "use strict";
  const script = document.currentScript;
  const page = location.pathname;
  const place = "catalog-live:" + page;
  let build = Number(script.dataset.build);

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  // What has no id is found again by where it stands.
  const name = (details, at) => details.id || "#" + at;
  const sections = () => [...document.querySelectorAll("main details, nav details")];

  const host = element("div", { id: "catalog-live" });
  const root = host.attachShadow({ mode: "open" });
  const overlay = element("dialog", { class: "overlay", "aria-labelledby": "title", "aria-describedby": "why" });
  const panel = element("details", { class: "panel", hidden: "" });
  root.append(element("link", { rel: "stylesheet", href: "/-/live.css" }), overlay, panel);

  const remember = () => {
    const open = {};
    sections().forEach((details, at) => { open[name(details, at)] = details.open; });
    const side = document.getElementById("nav");
    sessionStorage.setItem(place, JSON.stringify({
      x: scrollX, y: scrollY, side: side ? side.scrollTop : 0, open, panel: panel.open,
    }));
  };

  const recall = () => {
    const kept = sessionStorage.getItem(place);
    sessionStorage.removeItem(place);
    if (!kept) return;
    const was = JSON.parse(kept);
    sections().forEach((details, at) => {
      const open = was.open[name(details, at)];
      if (open !== undefined) details.open = open;
    });
    panel.open = was.panel;
    const navigation = document.getElementById("nav");
    if (navigation) navigation.scrollTop = was.side;
    const go = () => scrollTo({ left: was.x, top: was.y, behavior: "instant" });
    go();
    addEventListener("load", go, { once: true });
  };

  const style = (address) => {
    const base = document.documentElement.dataset.base || "";
    // The name without what tells its versions apart; a theme may have other sheets besides.
    const stem = base + address.replace(/[^-]*$/, "");
    const sheets = [...document.querySelectorAll("link[rel=stylesheet]")];
    const old = sheets.filter((each) => each.getAttribute("href").startsWith(stem));
    if (old.length === 0) { remember(); location.reload(); return; }
    const fresh = element("link", { rel: "stylesheet", href: base + address });
    // Two edits may come before the first has loaded: whatever is older goes.
    fresh.addEventListener("load", () => old.forEach((each) => each.remove()), { once: true });
    old[old.length - 1].after(fresh);
  };

  let shown = "";
  const trouble = (what) => {
    const text = what ? what.title + "\n" + what.text : "";
    // What somebody has closed stays closed until it says something else.
    if (text === shown) return;
    shown = text;
    overlay.close();
    if (!what) return;
    const close = element("button", { type: "button", autofocus: "" }, "Close", element("kbd", {}, "Esc"));
    close.addEventListener("click", () => overlay.close());
    overlay.replaceChildren(
      element("div", { class: "head" }, element("h1", { id: "title" }, what.title), close),
      element("pre", { tabindex: "0", "aria-label": "Error details" }, what.text.trimEnd()),
      element("p", { id: "why" }, "The page behind this message is the last good build. The message closes when the error is fixed."));
    overlay.showModal();
  };

  const item = (finding) => element("li", {},
    element("p", {}, element("b", { class: finding.severity }, finding.severity), " ", finding.message),
    ...(finding.help ? [element("p", { class: "help" }, finding.help)] : []),
    element("p", { class: "place" }, element("code", {}, finding.place || "the whole repository"), " ", element("code", {}, finding.rule)));

  const findings = async () => {
    try {
      const answer = await fetch("/-/findings?page=" + encodeURIComponent(page));
      const found = await answer.json();
      panel.hidden = found.length === 0;
      const worst = ["error", "warning", "info"].find((one) => found.some((each) => each.severity === one));
      const title = found.length + (found.length === 1 ? " finding" : " findings") + " on this page";
      panel.replaceChildren(
        element("summary", {}, element("span", { class: "dot " + (worst || ""), "aria-hidden": "true" }), title),
        element("ul", { tabindex: "0", "aria-label": title }, ...found.map(item)));
    } catch { /* The server is gone; it says so itself when it is back. */ }
  };

  let events;
  let again;
  const listen = () => {
    rest();
    events = new EventSource("/-/events?page=" + encodeURIComponent(page) + "&build=" + build);
    events.addEventListener("state", (event) => {
      const told = JSON.parse(event.data);
      if (told.action === "reload") { rest(); remember(); location.reload(); return; }
      trouble(told.trouble);
      if (told.action.style) style(told.action.style);
      if (told.build !== build) { build = told.build; findings(); }
      document.documentElement.dataset.liveBuild = build;
    });
    // A browser tries again by itself with the address of the first time, which names an old build.
    events.onerror = () => { rest(); again = setTimeout(listen, 500); };
  };
  const rest = () => { clearTimeout(again); events?.close(); };

  // Browsers allow a few connections to one server, and one stream for every tab would soon take them all: a page that
  // nobody sees hears the news when it is looked at.
  const attend = () => (document.visibilityState === "visible" ? listen() : rest());
  document.addEventListener("visibilitychange", attend);
  addEventListener("pagehide", rest);
  addEventListener("pageshow", (event) => { if (event.persisted) attend(); });

  document.body.append(host);
  recall();
  findings();
  attend();
})();
