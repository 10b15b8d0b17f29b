// The button that signs in with a passkey. Without this script, or in a browser that has no
// passkeys, the button stays hidden.
(() => {
  const form = document.getElementById("passkey");
  if (!form || !window.PublicKeyCredential) return;
  const button = form.querySelector("button");
  const status = form.querySelector("[role=status]");
  form.hidden = false;

  const bytes = (text) =>
    Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const words = (buffer) =>
    buffer ? btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") : undefined;

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.ariaDisabled === "true") return;
    button.ariaDisabled = "true"; // a disabled button would lose the focus
    status.textContent = "";
    try {
      const response = await fetch(form.dataset.start, { method: "POST" });
      if (!response.ok) throw new Error(`The server answered ${response.status}`);
      const { publicKey } = await response.json();
      publicKey.challenge = bytes(publicKey.challenge);
      const credential = await navigator.credentials.get({ publicKey });
      const { authenticatorData, clientDataJSON, signature, userHandle } = credential.response;
      form.elements.credential.value = JSON.stringify({
        id: credential.id, rawId: words(credential.rawId), type: credential.type, clientExtensionResults: {},
        response: {
          authenticatorData: words(authenticatorData), clientDataJSON: words(clientDataJSON),
          signature: words(signature), userHandle: words(userHandle),
        },
      });
      form.submit();
    } catch {
      status.textContent = form.dataset.failed;
      button.ariaDisabled = null;
    }
  });
})();
