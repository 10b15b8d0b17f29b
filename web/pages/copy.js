// Copy buttons. Without scripts they stay hidden, and people select the field.
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
      // Browsers offer no clipboard without TLS. The text is selected, ready to be copied.
      status.textContent = "Press Ctrl+C or ⌘C to copy.";
    }
  });
}
