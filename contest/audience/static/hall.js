// Runs before the page is drawn: large type if it is for the hall.
if (new URLSearchParams(location.search).has("hall")) {
  document.documentElement.classList.add("hall");
}
