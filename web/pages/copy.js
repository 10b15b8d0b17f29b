// Copy buttons. Without scripts they stay hidden, and people select the field.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const status = document.getElementById("copied");
  button.hidden = false;
  button.addEventListener("click", async () => {
    source.select();
    try {
      await navigator.clipboard.writeText(source.value);
      status.textContent = status.dataset.copied;
    } catch {
      // Browsers offer no clipboard without TLS, but copy what is selected.
      status.textContent = document.execCommand("copy") ? status.dataset.copied : status.dataset.press;
    }
  });
}

// The link to the first account carries its code behind a "#", which no server and no log sees.
const code = document.querySelector("input[name=code]");
if (code && location.hash.length > 1) {
  code.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  document.getElementById("email").focus();
}
