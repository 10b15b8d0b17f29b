import { type ComponentType, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';

import { finishSignIn, startSignIn } from './session';

/** What an application needs to call the server. */
export interface Server {
  /** The address of the GraphQL endpoint. */
  readonly graphql: string;
  /** The user's key. It stays in memory. */
  readonly accessKey: string;
}

/** The properties of an application. */
export interface ApplicationProps {
  readonly server: Server;
  /** Must be called when the server no longer accepts the key. */
  readonly onSignedOut: () => void;
}

/** The addresses that the site of the application is configured with. */
interface Site {
  readonly issuer: string;
  readonly graphql: string;
}

function SignedOut(props: { readonly reason: string; readonly onSignIn: () => void }) {
  return (
    <main>
      <h1>Signed out</h1>
      <p role="status">{props.reason}</p>
      <button type="button" onClick={props.onSignIn}>Sign in</button>
    </main>
  );
}

function Root({ site, Application }: { readonly site: Site; readonly Application: ComponentType<ApplicationProps> }) {
  const [accessKey, setAccessKey] = useState<string | null>(null);
  const [reason, setReason] = useState('');
  const fail = (error: Error) => setReason(error.message);
  useEffect(() => { finishSignIn(site.issuer).then(setAccessKey, fail); }, [site]);
  if (accessKey === null) {
    return <SignedOut reason={reason} onSignIn={() => void startSignIn(site.issuer).catch(fail)} />;
  }
  const onSignedOut = () => {
    setAccessKey(null);
    setReason('Your key is no longer valid.');
  };
  return <Application key={accessKey} server={{ graphql: site.graphql, accessKey }} onSignedOut={onSignedOut} />;
}

/** Renders the application into the page, after sign-in. */
export async function start(Application: ComponentType<ApplicationProps>): Promise<void> {
  const site = await (await fetch('/site.json')).json() as Site;
  createRoot(document.querySelector('#root')!).render(<Root site={site} Application={Application} />);
}
