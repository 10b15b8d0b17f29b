package commandline

import (
	"context"
	"errors"
	"path/filepath"

	"portico/cmd/portico/command"
	"portico/cmd/portico/operator"
	"portico/cmd/portico/transfer"
)

// ExportCommand is "portico export": of a space into a folder, for who may download it, or of an
// account, for an operator.
type ExportCommand struct {
	What   string `arg:"" help:"With --static, the space: its id, or its address. With --user, the zip to write."`
	Static string `help:"The new folder of the space, which any web server can show." placeholder:"FOLDER" type:"path"`
	User   string `help:"Account, by e-mail address or id. It becomes a zip with its files, its spaces with their histories, and its profile." placeholder:"EMAIL"`
	Server string `help:"Address of the server of the space." env:"PORTICO_URL" default:"http://127.0.0.1:8080"`
	Key    string `help:"API key of the account. Not needed for a space with a licence that is not Private." env:"PORTICO_KEY"`
}

// Run exports the space or the account.
func (c *ExportCommand) Run(ctx context.Context, in *command.Invocation) error {
	switch {
	case (c.Static == "") == (c.User == ""):
		return errors.New("name either the folder of a space (--static) or an account (--user)")
	case c.Static != "":
		return (&transfer.StaticExport{Server: c.Server, Key: c.Key, Space: c.What, Folder: c.Static}).Run(ctx, in)
	}
	out, err := filepath.Abs(c.What)
	if err != nil {
		return err
	}
	return (&operator.Export{User: c.User, Out: out}).Run(ctx, in)
}
