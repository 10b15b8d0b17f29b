// Sends the secret of a share link, which is behind a "#" so that no server and no log sees it, once.
const form = document.getElementById("share");
const secret = location.hash.slice(1);
history.replaceState(null, "", location.pathname);
if (secret) {
  form.elements.secret.value = secret;
  form.submit();
} else {
  document.getElementById("incomplete").hidden = false;
}
