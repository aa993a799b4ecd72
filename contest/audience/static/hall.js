// Before anything is drawn: whether the page is for the hall, in large type.
if (new URLSearchParams(location.search).has("hall")) {
  document.documentElement.classList.add("hall");
}
