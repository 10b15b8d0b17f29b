// Copy buttons: they are hidden without scripts, where the field can be selected.
for (const button of document.querySelectorAll("button[data-copy]")) {
  const source = document.getElementById(button.dataset.copy);
  const status = document.getElementById("copied");
  button.hidden = false;
  button.addEventListener("click", async () => {
    source.select();
    try {
      await navigator.clipboard.writeText(source.value);
      status.textContent = "Copied.";
    } catch {
      // No clipboard without TLS: the text is selected, so one key press does it.
      status.textContent = "Press Ctrl+C or ⌘C to copy.";
    }
  });
}
