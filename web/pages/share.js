// Sends the secret of a share link, which is behind a "#" so that no server and no log sees it, once.
// Another link that is opened in the same tab changes only what is behind the "#".
function send() {
  const secret = location.hash.slice(1);
  if (!secret) return false;
  history.replaceState(null, "", location.pathname);
  const form = document.createElement("form");
  form.method = "post";
  form.action = location.pathname;
  form.hidden = true;
  const field = document.createElement("input");
  field.name = "secret";
  field.value = secret;
  form.append(field);
  document.body.append(form);
  form.submit();
  return true;
}

addEventListener("hashchange", send);
const incomplete = document.getElementById("incomplete");
if (!send() && incomplete) incomplete.hidden = false;
