package mcp

import (
	"cmp"
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// instructions explain to an agent how to combine the tools.
const instructions = `Portico publishes 3D content: Gaussian splats, models and media in spaces.
To publish a file: upload_file_from_url (or upload_text_file) returns a resource_key; pass it to create_space, or to create_entity to put the file into an existing space. Share the space_url of the result.
Zip archives and very large files are processed by a job: the upload tools wait for it, and answer with a job_id if it takes longer; then call get_job with wait true until job_status is completed, and take result.resource_key.
get_file returns what is known about a file; if it has an attribution, show that line with the file.
Spaces hold entities; entity_data is merged field by field on update. Gates are entities too: a hub space has 7 static gates, which update_entity fills and clears, and create_entity adds more to any space with entity_type DynamicGate.`

// newServer returns the server of the SDK with all tools. It keeps no state between requests, so
// one server is enough.
func (d *door) newServer() *sdk.Server {
	server := sdk.NewServer(
		&sdk.Implementation{Name: "portico", Title: "Portico", Version: cmp.Or(d.Version, "dev"), WebsiteURL: d.BaseURL},
		&sdk.ServerOptions{
			Instructions: instructions,
			// The tools do not change while the server runs, and the server sends no log, so
			// it does not declare these capabilities.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		},
	)
	for _, t := range d.tools() {
		server.AddTool(t.listing, d.handle(t))
	}
	server.AddReceivingMiddleware(endWithRequest, refuseUndeclared)
	return server
}

// requestKey is the key of the *httpRequest in the context of a message.
type requestKey struct{}

// httpRequest is the HTTP request that a message came with.
type httpRequest struct {
	ctx   context.Context //nolint:containedctx // the SDK separates the context of a message from it
	reply *reply
}

// endWithRequest is a middleware that cancels the work on a message when its HTTP request ends. In
// older versions of the protocol the SDK continues the work for clients that resume a stream, but
// without sessions no client can.
func endWithRequest(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if outer, ok := ctx.Value(requestKey{}).(*httpRequest); ok {
			defer context.AfterFunc(outer.ctx, cancel)()
		}
		return next(ctx, method, request)
	}
}

// tools returns all tools in the order of tools/list.
func (d *door) tools() []tool {
	var all []tool
	all = append(all, d.spaceTools()...)
	all = append(all, d.entityTools()...)
	all = append(all, d.spaceFileTools()...)
	all = append(all, d.versionTools()...)
	all = append(all, d.screenshotTool())
	all = append(all, d.uploadTools()...)
	all = append(all, d.fileTools()...)
	return append(all, d.accountTools()...)
}
