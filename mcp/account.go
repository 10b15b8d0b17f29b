package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
)

type userOutput struct{ view.User }

func (o userOutput) summary() string {
	return fmt.Sprintf("%s (%s), %s plan, %d of %d bytes used", o.Name, o.Email, o.Plan, o.Storage.Used, o.Storage.Quota)
}

func (d *door) viewer(ctx context.Context, _ noInput) (userOutput, error) {
	user, err := d.Resolver.Query().Viewer(ctx)
	if err != nil {
		return userOutput{}, err
	}
	account, err := view.NewUser(ctx, d.Resolver, user)
	return userOutput{account}, err
}

// accountTools returns the tools of the account and its jobs.
func (d *door) accountTools() []tool {
	return []tool{
		newQuickTool(toolSpec{
			name: "get_user_info", title: "Get the account", effect: readsOnly, operations: []string{"viewer"},
			description: "Returns the account that the key belongs to: name, plan and storage. Call it to see whether a file will fit.",
		}, d.viewer),
		newQuickTool(toolSpec{
			name: "list_jobs", title: "List jobs", effect: readsOnly, operations: []string{"jobs"},
			description: "Lists the jobs that process uploads, newest first. An ended job is listed for an hour by default.",
		}, d.jobs),
		newTool(toolSpec{
			name: "get_job", title: "Get a job", effect: readsOnly, operations: []string{"job"},
			description: "Returns the progress of a job and, when it is completed, the resource_key. With wait it answers when the job has ended.",
		}, d.job),
	}
}
