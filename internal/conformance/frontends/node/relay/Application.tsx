import { Suspense, useState } from 'react';
import { RelayEnvironmentProvider } from 'react-relay';

import { type ApplicationProps, start } from '../shared/start';
import { newEnvironment } from './environment';
import { Space } from './Space';
import { Spaces } from './Spaces';

function Application({ server, onSignedOut }: ApplicationProps) {
  const [live, setLive] = useState(false);
  const [environment] = useState(() => newEnvironment(server, { onLive: setLive, onSignedOut }));
  const [open, setOpen] = useState<string | null>(null);
  return (
    <RelayEnvironmentProvider environment={environment}>
      <Suspense fallback={<p role="status">Loading</p>}>
        {open === null ? <Spaces onOpen={setOpen} /> : <Space id={open} live={live} onClose={() => setOpen(null)} />}
      </Suspense>
    </RelayEnvironmentProvider>
  );
}

void start(Application);
