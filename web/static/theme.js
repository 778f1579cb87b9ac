// Light or dark: as the system has it, unless someone chose. It runs before the
// page is drawn, so that nothing flashes.
(() => {
  const key = "tabletop-theme";
  const root = document.documentElement;
  const read = () => {
    try { return localStorage.getItem(key); } catch { return null; } // storage may be barred
  };
  const chosen = read();
  if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
  addEventListener("DOMContentLoaded", () => {
    const button = document.getElementById("theme");
    if (!button) return;
    const dark = () => (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
    if (!button.hasAttribute("aria-label")) button.setAttribute("aria-label", "Dark colours");
    const label = () => button.setAttribute("aria-pressed", String(dark()));
    button.addEventListener("click", () => {
      root.dataset.theme = dark() ? "light" : "dark";
      try { localStorage.setItem(key, root.dataset.theme); } catch { /* it holds for this visit */ }
      label();
    });
    label();
  });
})();
