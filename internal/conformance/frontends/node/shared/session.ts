import * as oauth from 'oauth4webapi';

// The servers of tests speak HTTP.
const plain = { [oauth.allowInsecureRequests]: true };

// pendingName names the entry of the tab's storage that outlives the way to the server's
// pages and back. The key itself is never stored.
const pendingName = 'portico-sign-in';

interface Pending {
  readonly clientId: string;
  readonly verifier: string;
  readonly state: string;
}

const redirectURI = (): string => `${location.origin}/`;

async function discover(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { ...plain, algorithm: 'oauth2' }));
}

/** Sends the browser to the server's sign-in: authorization code with PKCE, a public client. */
export async function startSignIn(issuer: string): Promise<void> {
  const server = await discover(issuer);
  const client = await oauth.processDynamicClientRegistrationResponse(
    await oauth.dynamicClientRegistrationRequest(server, {
      client_name: document.title,
      redirect_uris: [redirectURI()],
      token_endpoint_auth_method: 'none',
    }, plain),
  );
  const pending: Pending = {
    clientId: client.client_id, verifier: oauth.generateRandomCodeVerifier(), state: oauth.generateRandomState(),
  };
  sessionStorage.setItem(pendingName, JSON.stringify(pending));
  const address = new URL(server.authorization_endpoint!);
  address.search = new URLSearchParams({
    client_id: pending.clientId, redirect_uri: redirectURI(), response_type: 'code', state: pending.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier), code_challenge_method: 'S256',
  }).toString();
  location.assign(address);
}

/** Returns the key when the page was opened by the server's redirect, and null otherwise. */
export async function finishSignIn(issuer: string): Promise<string | null> {
  const stored = sessionStorage.getItem(pendingName);
  const callback = new URL(location.href);
  if (stored === null || !callback.searchParams.has('state')) return null;
  sessionStorage.removeItem(pendingName);
  history.replaceState(null, '', redirectURI());
  const pending = JSON.parse(stored) as Pending;
  const server = await discover(issuer);
  const client: oauth.Client = { client_id: pending.clientId };
  const parameters = oauth.validateAuthResponse(server, client, callback, pending.state);
  const token = await oauth.processAuthorizationCodeResponse(server, client, await oauth.authorizationCodeGrantRequest(
    server, client, oauth.None(), parameters, redirectURI(), pending.verifier, plain,
  ));
  return token.access_token;
}
