package operator

import (
	"context"
	"fmt"

	"portico/cmd/portico/command"
	"portico/server"
)

// DoctorCommand is "portico doctor". It works whether servers run or not.
type DoctorCommand struct {
	Fix bool `help:"Count sums again, and delete objects that nothing has named for two days."`
}

// Run prints one line for each finding. It fails if something is wrong and was not corrected.
func (c *DoctorCommand) Run(ctx context.Context, in *command.Invocation) error {
	return in.WithProgram(func(p *server.Program) error {
		report, err := p.Examine(ctx, c.Fix)
		if err != nil {
			return err
		}
		for _, finding := range report.Findings {
			if _, err := fmt.Fprintln(in.Out, finding); err != nil {
				return err
			}
		}
		if n := report.Problems(); n > 0 {
			return fmt.Errorf("%d problems", n)
		}
		_, err = fmt.Fprintf(in.Out, "no problems: %d rows that name files, %d objects\n", report.Rows, report.Objects)
		return err
	})
}
