// Runs in the head, before anything is drawn: applies the chosen theme, so that no page flashes in the other one.
(function () {
  var root = document.documentElement;
  root.classList.add("js");
  try {
    var theme = localStorage.getItem("catalog-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch (e) { /* storage is off: the system's theme it is */ }
})();
