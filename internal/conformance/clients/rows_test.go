package clients

// audits are the audits of graphql-http for servers, with a key and without.
var audits = client{name: "graphql-http", script: "audits.mjs", named: 122}

// socketClient is the usual client of GraphQL over WebSocket.
var socketClient = client{name: "graphql-ws", script: "ws.mjs", rows: []string{
	"sends a query",
	"sends a mutation",
	"gets the error of a resolver as a result",
	"gets an error instead of results for a document that is not valid",
	"uploads a capture and follows its job to the end",
	"stops a subscription early",
	"follows several jobs at once over one connection",
	"connects again and goes on when the connection breaks",
	"is closed with 4401 when its key is revoked on the account page",
	"is closed with 4401 when its key is replaced on the account page",
	"is closed with 4401 when its key is revoked by GraphQL",
	"is closed with 4401 when its key is revoked by OAuth",
	"does not try a bad key again",
}}

// bareSocket breaks every rule of the protocol, and looks for what must not come.
var bareSocket = client{name: "a bare WebSocket", script: "wire.mjs", rows: []string{
	"closes with 4400 after text that is not JSON",
	"closes with 4400 after JSON that is not an object",
	"closes with 4400 after a binary message",
	"closes with 4400 after a message without a type",
	"closes with 4400 after a message of an unknown type",
	"closes with 4400 after a message that only a server sends",
	"closes with 4400 after subscribe without an id",
	"closes with 4400 after subscribe with an id that is not a string",
	"closes with 4400 after subscribe without a payload",
	"closes with 4400 after subscribe without a query",
	"closes with 4400 after complete without an id",
	"closes with 4400 after a ping whose payload is not an object",
	"closes with 4400 after connection_init whose payload is not an object",
	"closes with 4401 after subscribe before connection_init",
	"closes with 4401 after a bad key in connection_init",
	"lets a socket without a key read what everybody may see",
	"closes with 4401 after a bad key in the header",
	"closes with 4406 without a subprotocol",
	"closes with 4406 after the subprotocol of old",
	"closes with 4408 when connection_init does not come",
	"closes with 4409 after an id that is taken",
	"closes with 4429 after a second connection_init",
	"closes with 4429 after a second connection_init before the first is answered",
	"closes with 1009 after a message that is too big",
	"takes the key in the header of the handshake",
	"answers pings before and after the acknowledgement",
	"sends nothing after error and frees the id",
	"sends nothing after complete from the client",
	"refuses one operation too many and goes on",
	"closes one socket too many of a key with 1013",
}}

// eventClient is the usual client of GraphQL over server-sent events, and an EventSource.
var eventClient = client{name: "graphql-sse", script: "sse.mjs", rows: []string{
	"sends a query",
	"sends a mutation",
	"gets the error of a resolver as a result",
	"gets an error for a document that is not valid as the only result",
	"is refused a bad key with 401",
	"gets the refusal of a resolver without a key",
	"follows a job to the end",
	"stops a subscription early",
	"follows several jobs at once",
	"ends when its key is revoked on the account page",
	"ends when its key is revoked by GraphQL",
	"EventSource follows a job and fires complete",
	"EventSource fires complete after a query",
	"EventSource fires complete after a refusal",
	"EventSource runs no mutation",
	"EventSource gets comments that keep the stream alive",
	"is refused one stream too many with 429",
}}

// oauthClient checks what the standards say of every response.
var oauthClient = client{name: "oauth4webapi", script: "oauth.mjs", rows: []string{
	"signs a user in and out at the root",
	"signs a user in and out below /api",
	"learns that the user has refused",
	"gets no second key for a code",
	"gets no key with another verifier",
	"gets no key as another client",
	"takes no answer of another server for its own",
}}

// agent is the client that most agents are made with.
var agent = client{name: "@modelcontextprotocol/sdk", script: "agent.mjs", rows: []string{
	"signs in and publishes",
	"signs in and publishes below /api",
	"asks its user again when the key is revoked",
	"registers anew where its registration is lost",
	"connects with a key alone",
}}

// tools calls every tool with the official clients, which check the results by the schemas.
var tools = client{name: "@modelcontextprotocol/client", script: "tools.mjs", rows: []string{
	"calls every tool: version 1",
	"calls every tool: version 2",
	"calls every tool: version 2 with the newest protocol",
}}

// resumableUploads is the usual client of the tus protocol.
var resumableUploads = client{name: "tus-js-client", script: "uploads.mjs", rows: []string{
	"is interrupted and goes on where it stopped",
	"sends parts at the same time",
}}

// webhooks is the library that receivers of webhooks verify with.
var webhooks = client{name: "standardwebhooks", script: "webhooks.mjs", rows: []string{
	"accepts a delivery and refuses changed ones",
}}

// conformance is the conformance tool of MCP, and its inspector.
var conformance = client{name: "@modelcontextprotocol/conformance", script: "conformance.mjs", node: 22, rows: []string{
	"conforms to 2025-03-26",
	"conforms to 2025-06-18",
	"conforms to 2025-11-25",
	"conforms to 2026-07-28",
	"is inspected: legacy",
	"is inspected: modern",
	"is refused nothing that is listed and works",
}}

// pages are a page of another site, and people at the pages of sign-in and at the
// playground.
var pages = client{name: "Chromium", script: "browser.mjs", rows: []string{
	"uploads a capture, polls its job and makes a space of it",
	"reads why it is refused",
	"reads why an upload is refused",
	"loads a public file, whole, in part and not at all",
	"asks GraphQL",
	"follows a job by WebSocket",
	"learns that its key is bad from the WebSocket",
	"follows a job by server-sent events",
	"EventSource fires complete",
	"reads when to come back",
	"has no barrier: sign in",
	"has no barrier: sign in with a provider and without sign-up",
	"has no barrier: sign in with a wrong password",
	"has no barrier: sign up",
	"has no barrier: sign up with mistakes",
	"has no barrier: sign up where it is switched off",
	"has no barrier: error for a client that is not registered",
	"has no barrier: error for a method that a page has not",
	"has no barrier: key that there is none of",
	"has no barrier: key",
	"has no barrier: key and what replaces it",
	"has no barrier: consent",
	"has no barrier: consent for a client without a name and TLS",
	"has no barrier: consent that has expired",
	"works without scripts and by keyboard",
	"comes back to the site whose pop-up it is",
	"lets another account answer",
	"goes on to the client after signing up",
	"copies the key",
	"cannot be framed",
	"asks in the playground, which forgets the key",
	"follows jobs in the playground",
	"reads the documentation and opens menus and dialogs in the playground",
	"has a playground where introspection is off",
	"has a playground in a narrow window",
}}
