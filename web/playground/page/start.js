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

const defaultQuery = `# Sign in at /account, and every operation runs as
# you. To use an API key instead, paste it into
# Headers, below:
#
#   {"Authorization": "Bearer portico_..."}
#
# Reloading the page forgets the key.
#
# Ctrl+Space completes, and Ctrl+Enter sends the
# operation that the cursor is in.

query Viewer {
  viewer {
    id
    email
  }
}

# Your jobs now, and every change to them.
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

// CodeMirror's editors have no names, and keep Tab for themselves: it now moves on, as
// everywhere (WCAG 2.1.2). Their scrolled parts can be reached by it too.
const names = [
  [".graphiql-query-editor", "Operation"],
  [".graphiql-response", "Response"],
  [".graphiql-editor-tool .graphiql-editor:nth-child(1)", "Variables"],
  [".graphiql-editor-tool .graphiql-editor:nth-child(2)", "Headers"],
];

function equip(editor) {
  const name = names.find(([place]) => editor.closest(place))?.[1] ?? "Editor";
  editor.CodeMirror.addKeyMap({ Tab: false, "Shift-Tab": false });
  editor.CodeMirror.getInputField().setAttribute("aria-label", name);
  const scroller = editor.CodeMirror.getScrollerElement();
  scroller.tabIndex = 0;
  scroller.setAttribute("role", "group");
  scroller.setAttribute("aria-label", `${name}, scrollable`);
  editor.dataset.equipped = "";
}

new MutationObserver(() => {
  for (const editor of place.querySelectorAll(".CodeMirror:not([data-equipped])")) {
    if (editor.CodeMirror) equip(editor);
  }
}).observe(place, { childList: true, subtree: true });
