import { useState } from 'react';
import { Provider } from 'urql';

import { type ApplicationProps, start } from '../shared/start';
import { newClient } from './client';
import { Space } from './Space';
import { Spaces } from './SpaceList';

function Application({ server, onSignedOut }: ApplicationProps) {
  const [live, setLive] = useState(false);
  const [client] = useState(() => newClient(server, { onLive: setLive, onSignedOut }));
  const [open, setOpen] = useState<string | null>(null);
  return (
    <Provider value={client}>
      {open === null ? <Spaces onOpen={setOpen} /> : <Space id={open} live={live} onClose={() => setOpen(null)} />}
    </Provider>
  );
}

void start(Application);
