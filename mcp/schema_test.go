package mcp

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// wantTools are the tools by the names that clients know, with what they may do:
// whether they read only, may destroy, and may be repeated.
func wantTools() map[string][3]bool {
	read, add, change, put := [3]bool{true, false, true}, [3]bool{}, [3]bool{false, true, true}, [3]bool{false, true, false}
	return map[string][3]bool{
		"list_spaces": read, "get_space": read, "get_space_screenshot": read, "create_space": add, "update_space": change,
		"delete_space": change, "update_space_privacy": change,
		"list_entities": read, "get_entity": read, "create_entity": put, "update_entity": change, "delete_entity": change,
		"export_space": read, "apply_changes": put, "lock_space": put, "unlock_space": change,
		"list_versions": read, "compare_versions": read, "name_version": change, "restore_version": change,
		"upload_text_file": add, "upload_file_from_url": add,
		"get_file": read, "convert_file": add,
		"get_user_info": read, "list_jobs": read, "get_job": read,
	}
}

func TestTools_have_the_listed_names_hints_and_schemas(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	list, err := w.alice.client.ListTools(t.Context(), nil)
	check(t, err)
	want := wantTools()
	equal(t, "number of tools", len(list.Tools), len(want))
	for _, tool := range list.Tools {
		t.Run(tool.Name, func(t *testing.T) {
			t.Parallel()
			hints, known := want[tool.Name]
			if !known {
				t.Fatalf("tool: got %s, want one that clients know", tool.Name)
			}
			a := tool.Annotations
			equal(t, "hints", [3]bool{a.ReadOnlyHint, *a.DestructiveHint, a.IdempotentHint}, hints)
			equal(t, "open world", *a.OpenWorldHint, tool.Name == "upload_file_from_url")
			if tool.Title == "" || !strings.HasSuffix(tool.Description, ".") {
				t.Errorf("title and description: got %q and %q, want both", tool.Title, tool.Description)
			}
			checkToolSchema(t, tool.InputSchema)
			checkToolSchema(t, tool.OutputSchema)
			if text, err := json.Marshal(tool.InputSchema); err != nil || strings.Contains(string(text), `"null"`) {
				t.Errorf("input schema: got %s, %v; want no null", text, err)
			}
		})
	}
}

// checkToolSchema takes a schema as it came over the wire.
func checkToolSchema(t *testing.T, wire any) {
	t.Helper()
	text, err := json.Marshal(wire)
	check(t, err)
	var schema jsonschema.Schema
	check(t, json.Unmarshal(text, &schema))
	if _, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
		t.Errorf("schema: got %v, want a valid one", err)
	}
	equal(t, "type", schema.Type, "object")
	checkDescribed(t, "", &schema)
}

// checkDescribed wants a description of every field, however deep.
func checkDescribed(t *testing.T, path string, schema *jsonschema.Schema) {
	t.Helper()
	if schema.Items != nil {
		checkDescribed(t, path+"[]", schema.Items)
	}
	for name, property := range schema.Properties {
		if property.Description == "" {
			t.Errorf("%s.%s: got no description, want one", path, name)
		}
		checkDescribed(t, path+"."+name, property)
	}
}

func TestTools_of_uploads_have_the_arguments_that_clients_know(t *testing.T) {
	t.Parallel()
	d := newDoor(Options{})
	for name, want := range map[string][]string{
		"upload_text_file":     {"file_name", "file_text"},
		"upload_file_from_url": {"convert_to", "file_name", "source_url"},
	} {
		at := slices.IndexFunc(d.tools(), func(t tool) bool { return t.listing.Name == name })
		schema := d.tools()[at].listing.InputSchema.(*jsonschema.Schema)
		if got := slices.Sorted(maps.Keys(schema.Properties)); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

func TestSchema_says_which_words_there_are(t *testing.T) {
	t.Parallel()
	schema := inputSchema[createSpaceInput](nil)
	for name, want := range map[string][]any{
		"space_type": {"infinite", "hub"},
		"privacy":    {"Open", "Closed", "Link Only", "Public", "Private"},
	} {
		if got := schema.Properties[name].Enum; !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	if got := inputSchema[convertInput](nil).Properties["to"].Enum; !slices.Equal(got, []any{"sog", "streamed-sog", "ply", "compressed-ply", "spz", "glb", "csv", "turntable"}) {
		t.Errorf("to of convert_file: got %v", got)
	}
	if got := inputSchema[urlInput](nil).Properties["convert_to"].Enum; !slices.Equal(got, []any{"sog", "streamed-sog"}) {
		t.Errorf("convert_to of upload_file_from_url: got %v", got)
	}
	if got := inputSchema[privacyInput](nil).Required; !slices.Equal(got, []string{"spaceId", "roomPrivacy"}) {
		t.Errorf("required of update_space_privacy: got %v", got)
	}
}

// A description that names another tool for the privacy hides the argument, which needs no second
// call.
func TestCreateSpace_describes_its_own_argument_for_the_privacy(t *testing.T) {
	t.Parallel()
	tools := newDoor(Options{}).tools()
	at := slices.IndexFunc(tools, func(t tool) bool { return t.listing.Name == "create_space" })
	const want = "Private unless privacy says otherwise"
	if got := tools[at].listing.Description; !strings.Contains(got, want) || strings.Contains(got, "update_space_privacy") {
		t.Errorf("description: got %q, want %q and no other tool", got, want)
	}
}

func TestServer_introduces_itself(t *testing.T) {
	t.Parallel()
	w := serveWorld(t, func(o *Options) { o.Version = "1.2.3" })
	got := w.connect(w.alice, "/api/v1/mcp").InitializeResult()
	equal(t, "version", got.ServerInfo.Version, "1.2.3")
	equal(t, "name", got.ServerInfo.Name, "portico")
	if !strings.Contains(got.Instructions, "resource_key") {
		t.Errorf("instructions: got %q, want how the tools go together", got.Instructions)
	}
	if got.Capabilities.Tools == nil || got.Capabilities.Logging != nil || got.Capabilities.Tools.ListChanged { //nolint:staticcheck // deprecated, and rightly absent
		t.Errorf("capabilities: got %+v, want tools only, which never change", got.Capabilities)
	}
}

func TestCall_refuses_an_unknown_tool(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.alice.client.CallTool(t.Context(), &sdk.CallToolParams{Name: "drop_tables"})
	if err == nil || !strings.Contains(err.Error(), "drop_tables") {
		t.Errorf("error: got %v, want one of the protocol", err)
	}
}
