package mcp

import (
	"context"
	"fmt"

	"portico/model"
)

// userView is the caller's account (contract, Spaces).
type userView struct {
	ID      string      `json:"id" jsonschema:"The account's id; ids of its spaces begin with it."`
	Name    string      `json:"name" jsonschema:"The account's name."`
	Email   string      `json:"email" jsonschema:"The account's e-mail address."`
	Plan    model.Plan  `json:"plan" jsonschema:"pro is needed for Link Only spaces."`
	Storage storageView `json:"storage" jsonschema:"How much of the account's storage is taken."`
}

// storageView is in bytes.
type storageView struct {
	Used  int64 `json:"used" jsonschema:"Bytes of files with their posters and views, of uploads that a job works on, and of the JSON that is kept."`
	Quota int64 `json:"quota" jsonschema:"Bytes that the account may store."`
}

func (v userView) summary() string {
	return fmt.Sprintf("%s (%s), %s plan, %d of %d bytes used", v.Name, v.Email, v.Plan, v.Storage.Used, v.Storage.Quota)
}

func (d *door) user(ctx context.Context, _ noInput) (userView, error) {
	user, err := d.Resolver.Query().Viewer(ctx)
	if err != nil {
		return userView{}, err
	}
	storage, err := d.Resolver.Viewer().Storage(ctx, user)
	if err != nil {
		return userView{}, err
	}
	return userView{
		ID: user.ID, Name: user.Name, Email: user.Email, Plan: user.Plan,
		Storage: storageView{Used: storage.Used, Quota: storage.Quota},
	}, nil
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
