package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
)

// userAnswer answers get_user_info.
type userAnswer struct{ view.User }

func (a userAnswer) summary() string {
	return fmt.Sprintf("%s (%s), %s plan, %d of %d bytes used", a.Name, a.Email, a.Plan, a.Storage.Used, a.Storage.Quota)
}

func (d *door) user(ctx context.Context, _ noInput) (userAnswer, error) {
	user, err := d.Resolver.Query().Viewer(ctx)
	if err != nil {
		return userAnswer{}, err
	}
	account, err := view.NewUser(ctx, d.Resolver, user)
	return userAnswer{account}, err
}

// accountTools are the tools of the account and its jobs.
func (d *door) accountTools() []tool {
	return []tool{
		quick(card{
			name: "get_user_info", title: "Get the account", effect: reads, operations: []string{"viewer"},
			description: "Returns the account that the key belongs to: name, plan and storage. Look here whether a file will fit.",
		}, d.user),
		quick(card{
			name: "list_jobs", title: "List jobs", effect: reads, operations: []string{"jobs"},
			description: "Lists the jobs that work on uploads, newest first. A job is forgotten an hour after it ended.",
		}, d.listJobs),
		newTool(card{
			name: "get_job", title: "Get a job", effect: reads, operations: []string{"job"},
			description: "Returns how far a job is and, when it is completed, the resource_key. With wait it answers when the job has ended.",
		}, d.job),
	}
}
