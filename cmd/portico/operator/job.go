package operator

import (
	"context"

	"portico/cmd/portico/command"
	"portico/model"
	"portico/server/operator"
)

// JobCommand groups the commands that manage jobs.
type JobCommand struct {
	List   jobListCommand   `cmd:"" help:"Print the jobs of all accounts, newest first, one JSON object per line."`
	Retry  jobRetryCommand  `cmd:"" help:"Start a failed conversion again and print the new job."`
	Cancel jobCancelCommand `cmd:"" help:"Cancel a job and print it."`
}

// printedJob is the JSON form of a job. Fields that the API also has use its names.
type printedJob struct {
	ID        string          `json:"id"`
	Owner     string          `json:"owner_email"`
	Type      model.JobType   `json:"type"`
	Status    model.JobStatus `json:"status"`
	Progress  float64         `json:"progress"`
	Message   string          `json:"message"`
	Error     string          `json:"error,omitempty"`
	Attempt   int             `json:"attempt"`
	CanRetry  bool            `json:"can_retry"`
	CreatedAt model.Time      `json:"created_at"`
	UpdatedAt model.Time      `json:"updated_at"`
}

func newPrintedJob(j *model.OperatedJob) printedJob {
	return printedJob{j.ID, j.OwnerEmail, j.Type, j.Status, j.Progress, j.Message, j.Error, j.Attempt, j.CanRetry(), j.CreatedAt, j.UpdatedAt}
}

type jobListCommand struct {
	Failed bool `xor:"status" help:"Only failed jobs."`
	Active bool `xor:"status" help:"Only jobs that are waiting or running."`
}

// Run prints the jobs of all accounts, one JSON object per line.
func (c *jobListCommand) Run(ctx context.Context, in *command.Invocation) error {
	var filter model.JobFilter
	switch {
	case c.Failed:
		filter.Status = []model.JobStatus{model.JobFailed}
	case c.Active:
		filter.Status = []model.JobStatus{model.JobQueued, model.JobProcessing}
	}
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		return o.Jobs(ctx, filter, func(job *model.OperatedJob) error { return command.PrintJSON(in.Out, newPrintedJob(job)) })
	})
}

type jobRetryCommand struct {
	ID string `arg:"" help:"Job id."`
}

// Run starts a failed conversion again and prints the new job.
func (c *jobRetryCommand) Run(ctx context.Context, in *command.Invocation) error {
	return changeJob(ctx, in, c.ID, (*operator.Operator).RetryJob)
}

type jobCancelCommand struct {
	ID string `arg:"" help:"Job id."`
}

// Run cancels a job of any account and prints it.
func (c *jobCancelCommand) Run(ctx context.Context, in *command.Invocation) error {
	return changeJob(ctx, in, c.ID, (*operator.Operator).CancelAnyJob)
}

func changeJob(
	ctx context.Context, in *command.Invocation, id string, change func(*operator.Operator, context.Context, string) (*model.OperatedJob, error),
) error {
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		job, err := change(o, ctx, id)
		if err != nil {
			return err
		}
		return command.PrintJSON(in.Out, newPrintedJob(job))
	})
}
