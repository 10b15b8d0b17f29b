// Searches the gallery as one types: the page of the search replaces what was found before. Without this
// script the form does the same.
const form = document.querySelector('.search');
let asked = new AbortController();
let timer = 0;

// What an input method still converts is no word yet: the search waits for its end.
for (const event of ['input', 'compositionend']) {
  form.addEventListener(event, ({ isComposing }) => {
    clearTimeout(timer);
    if (!isComposing) timer = setTimeout(search, 250);
  });
}

async function search() {
  asked.abort();
  asked = new AbortController();
  const address = `/?${new URLSearchParams(new FormData(form))}`;
  try {
    const response = await fetch(address, { signal: asked.signal, headers: { Accept: 'text/html' } });
    if (!response.ok) return;
    const page = new DOMParser().parseFromString(await response.text(), 'text/html');
    document.getElementById('found').replaceWith(document.adoptNode(page.getElementById('found')));
    history.replaceState(null, '', address);
  } catch {
    // a newer search has stopped this one, or there is no network: the form still works
  }
}
