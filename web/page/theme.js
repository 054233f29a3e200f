// Runs before the page is drawn, so that it never flashes in the wrong colors.
try {
  const theme = localStorage.getItem("rejoinder.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Without storage the system's colors are used.
}
