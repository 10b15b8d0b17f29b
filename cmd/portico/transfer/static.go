package transfer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"portico/client"
	"portico/cmd/portico/command"
	"portico/model"
	"portico/server"
)

// StaticExport is "portico export --static". It writes a space that the account of the key, or
// everybody, may download into a folder that any web server can show.
type StaticExport struct {
	Server, Key string
	Space       string // its id, or its address on the server
	Folder      string
}

// Run writes the folder under a temporary name until it is complete.
func (e *StaticExport) Run(ctx context.Context, in *command.Invocation) error {
	remote := client.New(e.Server, e.Key)
	id := strings.TrimPrefix(e.Space, remote.Server+"/")
	if !model.IsSpaceID(id) {
		return fmt.Errorf("name a space of %s: its id is the last part of its address", remote.Server)
	}
	if err := command.CheckNew(e.Folder); err != nil {
		return err
	}
	space, err := server.ReadStatic(ctx, remote, remote.Server, id)
	if err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(filepath.Dir(e.Folder), ".portico-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary) //nolint:errcheck // it was moved, or the command has failed anyway
	root, err := os.OpenRoot(temporary)
	if err != nil {
		return err
	}
	warnings, err := space.Write(ctx, server.StaticFolder{Root: root})
	if err = errors.Join(err, root.Close()); err != nil {
		return err
	}
	if err := errors.Join(os.Chmod(temporary, 0o755), command.MoveNew(temporary, e.Folder)); err != nil { // a web server reads it
		return err
	}
	for _, warning := range warnings {
		if in.Terminal == nil {
			break
		}
		if _, err := fmt.Fprintln(in.Terminal, "warning: "+warning); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(in.Out, e.Folder)
	return err
}
