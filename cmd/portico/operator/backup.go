package operator

import (
	"context"
	"fmt"
	"io"
	"path/filepath"

	"portico/cmd/portico/command"
	"portico/server"
	"portico/server/backup"
)

// BackupCommand is "portico backup". It works while servers run, and is meant for a timer: it prints
// one line, and an error only for what an operator must know.
type BackupCommand struct {
	Folder string `arg:"" help:"A new folder, or one with an earlier backup, whose files are not copied again." type:"path"`
	Verify bool   `help:"Read the files of the earlier backup again, and replace those that are damaged."`
}

// Run backs up into the folder. It fails also if files are missing: the backup is complete without
// them.
func (c *BackupCommand) Run(ctx context.Context, in *command.Invocation) error {
	progress := command.NewProgress(in, false)
	return in.WithProgram(func(p *server.Program) error {
		result, err := p.Backup(ctx, c.Folder, c.Verify, reportTo(progress, "copying"))
		if err != nil {
			return progress.Finish(err)
		}
		err = progress.PrintResult(nil, func(out io.Writer) error { return printResult(out, "backed up into "+c.Folder, result) })
		if err != nil {
			return err
		}
		return result.MissingError()
	})
}

// RestoreCommand is "portico restore".
type RestoreCommand struct {
	Folder string `arg:"" help:"The folder of the backup." type:"path"`
	Files  bool   `help:"Put back only the files that a database which is not empty names and the store has lost."`
}

// Run restores the backup.
func (c *RestoreCommand) Run(ctx context.Context, in *command.Invocation) error {
	progress := command.NewProgress(in, false)
	return in.WithProgram(func(p *server.Program) error {
		restore := func() (*backup.Result, error) { return p.Restore(ctx, c.Folder, reportTo(progress, "restoring")) }
		if c.Files {
			restore = func() (*backup.Result, error) { return p.RestoreFiles(ctx, c.Folder) }
		}
		result, err := restore()
		if err != nil {
			return progress.Finish(err)
		}
		return progress.PrintResult(nil, func(out io.Writer) error {
			return printResult(out, "restored "+filepath.Clean(c.Folder)+" of "+result.CreatedAt.UTC().Format("2006-01-02 15:04 MST"), result)
		})
	})
}

func reportTo(progress *command.Progress, message string) func(done, total int64) {
	return func(done, total int64) { progress.Report(command.Percentage(done, total), message) }
}

func printResult(out io.Writer, what string, result *backup.Result) error {
	_, err := fmt.Fprintf(out, "%s: %d rows, %d files of %d bytes, %d of them copied (%d bytes)\n",
		what, result.Rows, result.Objects, result.Bytes, result.Copied, result.CopiedBytes)
	return err
}
