package operator

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"portico/cmd/portico/command"
	"portico/server/operator"
)

// Export is "portico export --user", with which an operator exports an account. People export their
// own account in the console.
type Export struct {
	User string // by e-mail address or id
	Out  string // the zip to write
}

// Run writes the archive to a new file, which has a temporary name until it is complete.
//
// A killed process leaves the hidden file, and never a part of a zip under its name.
func (c *Export) Run(ctx context.Context, in *command.Invocation) error {
	if err := command.CheckNew(c.Out); err != nil {
		return err
	}
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		// In the folder of the zip, because a link works only within one file system. The archive
		// contains everything that the account has, so only its operator may read it.
		file, err := os.CreateTemp(filepath.Dir(c.Out), ".portico-*.zip") // mode 0600
		if err != nil {
			return err
		}
		err = o.Export(ctx, c.User, file)
		if err == nil {
			err = file.Sync()
		}
		if err = errors.Join(err, file.Close()); err == nil {
			err = command.MoveNew(file.Name(), c.Out)
		}
		if removeErr := os.Remove(file.Name()); !errors.Is(removeErr, fs.ErrNotExist) {
			err = errors.Join(err, removeErr)
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(in.Out, c.Out)
		return err
	})
}
