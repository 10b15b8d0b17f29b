package mcp

import (
	"cmp"
	"context"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// instructions explain to an agent how the tools go together.
const instructions = `Portico publishes 3D content: Gaussian splats, models and media in spaces.
To publish a file: upload_file_from_url (or upload_text_file) gives a resource_key; pass it to create_space, or to create_entity to put it into a space that exists. Share the space_url of the answer.
Zip archives and very large files are processed by a job: the upload tools wait for it, and answer with a job_id when it takes longer; then call get_job with wait true until job_status is completed, and take result.resource_key.
get_file says what a file was found to be; where it has an attribution, show that line with it.
Spaces hold entities; entity_data is merged field by field on update. Gates are entities too: a hub space has 7 static ones that are filled and cleared with update_entity, and any space can get more with create_entity and entity_type DynamicGate.`

// newServer returns the SDK's server with all tools. It serves every request and
// keeps nothing between them.
func (d *door) newServer() *sdk.Server {
	server := sdk.NewServer(
		&sdk.Implementation{Name: "portico", Title: "Portico", Version: cmp.Or(d.Version, "dev"), WebsiteURL: d.BaseURL},
		&sdk.ServerOptions{
			Instructions: instructions,
			// Tools never change while the server runs, and nothing is logged to
			// clients: neither is offered.
			Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}},
		},
	)
	for _, t := range d.tools() {
		server.AddTool(t.card, d.handle(t))
	}
	server.AddReceivingMiddleware(untilGone, declaredOnly)
	return server
}

// requestKey is where the context of the HTTP request stands in that of a message.
type requestKey struct{}

// untilGone ends the work on a message when its HTTP request has ended. The SDK
// leaves that out in older versions of the protocol, for streams that are taken
// up again; without sessions there is nobody to take the answer.
func untilGone(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, request sdk.Request) (sdk.Result, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		if outer, ok := ctx.Value(requestKey{}).(context.Context); ok {
			defer context.AfterFunc(outer, cancel)()
		}
		return next(ctx, method, request)
	}
}

// tools returns every tool, in the order that clients list them in.
func (d *door) tools() []tool {
	var all []tool
	all = append(all, d.spaceTools()...)
	all = append(all, d.entityTools()...)
	all = append(all, d.uploadTools()...)
	all = append(all, d.fileTools()...)
	return append(all, d.accountTools()...)
}
