// Keeps an open page as the repository is: listens for changes, reloads where that is needed and keeps the place, takes a
// new style without a reload, and shows what is wrong over the last good page.
(() => {
  "use strict";
  const script = document.currentScript;
  const page = location.pathname;
  const place = "catalog-live:" + page;
  let build = Number(script.dataset.build);
  let dismissed = "";

  const element = (name, attributes = {}, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  };

  // What has no id is found again by where it stands.
  const name = (details, at) => details.id || "#" + at;
  const sections = () => [...document.querySelectorAll("main details, nav details")];

  const remember = () => {
    const open = {};
    sections().forEach((details, at) => { open[name(details, at)] = details.open; });
    const side = document.getElementById("nav");
    sessionStorage.setItem(place, JSON.stringify({
      x: scrollX, y: scrollY, side: side ? side.scrollTop : 0, open,
    }));
  };

  const recall = () => {
    const kept = sessionStorage.getItem(place);
    sessionStorage.removeItem(place);
    if (!kept) return;
    const { x, y, side, open } = JSON.parse(kept);
    sections().forEach((details, at) => {
      const was = open[name(details, at)];
      if (was !== undefined) details.open = was;
    });
    const navigation = document.getElementById("nav");
    if (navigation) navigation.scrollTop = side;
    const go = () => scrollTo({ left: x, top: y, behavior: "instant" });
    go();
    addEventListener("load", go, { once: true });
  };

  const style = (address) => {
    const old = document.querySelector("link[rel=stylesheet]");
    if (!old) return location.reload();
    const base = document.documentElement.dataset.base || "";
    const fresh = element("link", { rel: "stylesheet", href: base + address });
    fresh.addEventListener("load", () => old.remove(), { once: true });
    old.after(fresh);
  };

  const host = element("div", { id: "catalog-live" });
  const root = host.attachShadow({ mode: "open" });
  root.append(element("link", { rel: "stylesheet", href: "/-/live.css" }));
  const overlay = element("div", { class: "overlay", role: "alertdialog", "aria-live": "assertive", hidden: "" });
  const panel = element("details", { class: "panel", hidden: "" });
  root.append(overlay, panel);

  const trouble = (what) => {
    const text = what ? what.title + "\n" + what.text : "";
    overlay.hidden = !what || text === dismissed;
    if (!what) { dismissed = ""; return; }
    const close = element("button", { type: "button", title: "Close until it changes (Esc)" }, "Close");
    close.addEventListener("click", () => { dismissed = text; overlay.hidden = true; });
    overlay.replaceChildren(
      element("div", { class: "sheet" },
        element("header", {}, element("h1", {}, what.title), close),
        element("pre", { tabindex: "0" }, what.text),
        element("p", {}, "The page below is the last good one. This goes away when the file is mended.")));
  };

  const findings = async () => {
    try {
      const answer = await fetch("/-/findings?page=" + encodeURIComponent(page));
      const found = await answer.json();
      panel.hidden = found.length === 0;
      const worst = ["error", "warning", "info"].find((one) => found.some((each) => each.severity === one));
      const list = found.map((each) => element("li", { class: each.severity },
        element("b", {}, each.rule), " ", each.message,
        ...(each.place ? [element("code", {}, each.place)] : []),
        ...(each.help ? [element("small", {}, each.help)] : [])));
      panel.replaceChildren(
        element("summary", { class: worst || "" }, found.length + (found.length === 1 ? " finding" : " findings")),
        element("ul", {}, ...list));
    } catch { /* The server is gone; it says so itself when it is back. */ }
  };

  const listen = () => {
    const events = new EventSource("/-/events?page=" + encodeURIComponent(page) + "&build=" + build);
    events.addEventListener("state", (event) => {
      const told = JSON.parse(event.data);
      trouble(told.trouble);
      if (told.action === "reload") { events.close(); remember(); location.reload(); return; }
      if (told.action.style) style(told.action.style);
      if (told.build !== build) { build = told.build; findings(); }
      document.documentElement.dataset.liveBuild = build;
    });
    // A browser tries again by itself with the address of the first time, which names an old build.
    events.onerror = () => { events.close(); setTimeout(listen, 500); };
    addEventListener("pagehide", () => events.close(), { once: true });
  };

  addEventListener("keydown", (event) => {
    const button = overlay.querySelector("button");
    if (event.key === "Escape" && !overlay.hidden && button) button.click();
  });
  document.body.append(host);
  recall();
  findings();
  listen();
})();
