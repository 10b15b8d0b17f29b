// Makes a passkey with the options of the server. Both sides write binary values in base64url.

const fromBase64url = (text: string) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

const toBase64url = (buffer: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

interface Options {
  readonly publicKey: Omit<PublicKeyCredentialCreationOptions, 'challenge' | 'user' | 'excludeCredentials'> & {
    readonly challenge: string;
    readonly user: { readonly id: string; readonly name: string; readonly displayName: string };
    readonly excludeCredentials?: readonly { readonly id: string; readonly type: 'public-key' }[];
  };
}

/** Whether the browser makes passkeys at this address. */
export const isSupported = () => 'PublicKeyCredential' in globalThis;

/** Asks the device for a passkey, and returns the credential for the server. */
export async function createPasskey(options: unknown): Promise<Record<string, unknown>> {
  const { publicKey } = options as Options;
  const credential = await navigator.credentials.create({
    publicKey: {
      ...publicKey,
      challenge: fromBase64url(publicKey.challenge),
      user: { ...publicKey.user, id: fromBase64url(publicKey.user.id) },
      excludeCredentials: (publicKey.excludeCredentials ?? []).map(({ id, type }) => ({ type, id: fromBase64url(id) })),
    },
  });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey');
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    id: credential.id,
    rawId: toBase64url(credential.rawId),
    type: credential.type,
    clientExtensionResults: {},
    response: {
      attestationObject: toBase64url(response.attestationObject),
      clientDataJSON: toBase64url(response.clientDataJSON),
      transports: response.getTransports(),
    },
  };
}
