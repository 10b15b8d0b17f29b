// Starts GraphiQL, which asks the server that this page came from.

const graphQL = new URL("/graphql", location);
const subscriptions = new URL(graphQL);
subscriptions.protocol = graphQL.protocol.replace("http", "ws");
const place = document.getElementById("playground");

// The key stays in this tab: GraphiQL leaves headers out of what it remembers of its
// editors, but not out of the history.
const storage = GraphiQL.createLocalStorage({ namespace: "portico" });
const { setItem } = storage;
storage.setItem = (name, value) => {
  const history = name === "graphiql:queries" || name === "graphiql:favorites";
  setItem(name, history ? withoutHeaders(value) : value);
};

function withoutHeaders(history) {
  return JSON.stringify(JSON.parse(history), (name, value) => (name === "headers" ? undefined : value));
}

const defaultQuery = `# Queries and mutations are yours once you have
# signed in, at /account. Subscriptions take your
# API key, which is there too. Paste it into
# Headers, below:
#
#   {"Authorization": "Bearer portico_..."}
#
# A page that is loaded anew has forgotten it.
#
# Ctrl+Space completes, and Ctrl+Enter sends the
# operation that the cursor is in.

query Viewer {
  viewer {
    id
    email
  }
}

# Your jobs as they are, and all that changes.
subscription Jobs {
  jobs {
    id
    status
    progress
    message
  }
}
`;

ReactDOM.createRoot(place).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: graphQL.href, subscriptionUrl: subscriptions.href }),
    // With null it does not ask for what the server keeps to itself.
    schema: "noIntrospection" in place.dataset ? null : undefined,
    defaultEditorToolsVisibility: "headers",
    defaultQuery,
    shouldPersistHeaders: false,
    storage,
  }),
);
