import { ApolloProvider } from '@apollo/client/react';
import { useState } from 'react';

import { type ApplicationProps, start } from '../shared/start';
import { newClient } from './client';
import { Space } from './Space';
import { Spaces } from './Spaces';

function Application({ server, onSignedOut }: ApplicationProps) {
  const [live, setLive] = useState(false);
  const [client] = useState(() => newClient(server, { onLive: setLive, onSignedOut }));
  const [open, setOpen] = useState<string | null>(null);
  return (
    <ApolloProvider client={client}>
      {open === null ? <Spaces onOpen={setOpen} /> : <Space id={open} live={live} onClose={() => setOpen(null)} />}
    </ApolloProvider>
  );
}

void start(Application);
