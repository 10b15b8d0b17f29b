package operator

import (
	"context"

	"portico/cmd/portico/command"
	"portico/model"
	"portico/server/operator"
)

// SpaceCommand groups the commands that moderate spaces.
type SpaceCommand struct {
	List     spaceListCommand     `cmd:"" help:"Print the spaces that are not Private, were reported or were taken down, one JSON object per line."`
	Takedown spaceTakedownCommand `cmd:"" help:"Take a space down: it is Private until it is restored, and its owner is notified."`
	Restore  spaceRestoreCommand  `cmd:"" help:"Restore a space that was taken down."`
}

// moderatedSpace is the JSON form of a space. Fields that the API also has use its names.
type moderatedSpace struct {
	ID         string        `json:"spaceId"`
	Title      string        `json:"title"`
	Privacy    model.Privacy `json:"privacy"`
	Owner      string        `json:"owner"`
	OwnerEmail string        `json:"owner_email"`
	Visits     int64         `json:"visitCount"`
	CreatedAt  model.Time    `json:"createdDate"`
	Reports    []report      `json:"reports,omitempty"`
	Takedown   *report       `json:"takedown,omitempty"`
}

// report is the JSON form of a report or of a takedown.
type report struct {
	Reason    model.ReportReason `json:"reason"`
	Text      string             `json:"text,omitempty"`
	CreatedAt model.Time         `json:"created_at"`
}

type spaceListCommand struct {
	Reported  bool   `help:"Only spaces with open reports."`
	TakenDown bool   `help:"Only spaces that were taken down."`
	Search    string `help:"Only spaces whose title contains TEXT, or whose id or owner's id is TEXT." placeholder:"TEXT"`
}

// Run prints the spaces, newest first.
func (c *spaceListCommand) Run(ctx context.Context, in *command.Invocation) error {
	filter := model.ModerationFilter{Search: c.Search}
	if c.Reported {
		filter.Reported = &c.Reported
	}
	if c.TakenDown {
		filter.TakenDown = &c.TakenDown
	}
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		return o.Spaces(ctx, filter, func(space *model.ModeratedSpace) error {
			printed := moderatedSpace{
				ID: space.ID, Title: space.Title, Privacy: space.Privacy, Owner: space.OwnerID, OwnerEmail: space.OwnerEmail,
				Visits: space.VisitCount, CreatedAt: space.CreatedAt,
			}
			for _, r := range space.Reports {
				printed.Reports = append(printed.Reports, report{r.Reason, r.Text, r.CreatedAt})
			}
			if t := space.Takedown(); t != nil {
				printed.Takedown = &report{t.Reason, t.Text, t.CreatedAt}
			}
			return command.PrintJSON(in.Out, printed)
		})
	})
}

type spaceTakedownCommand struct {
	ID     string             `arg:"" help:"Space id."`
	Reason model.ReportReason `required:"" enum:"copyright,personal,illegal,harmful,spam,other" help:"Reason: ${enum}." placeholder:"REASON"`
	Text   string             `help:"Additional text for the owner." placeholder:"TEXT"`
}

// Run takes the space down.
func (c *spaceTakedownCommand) Run(ctx context.Context, in *command.Invocation) error {
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		return o.TakeDown(ctx, model.ReportSpace{SpaceID: c.ID, Reason: c.Reason, Text: c.Text})
	})
}

type spaceRestoreCommand struct {
	ID string `arg:"" help:"Space id."`
}

// Run ends the takedown: the owner can publish the space again.
func (c *spaceRestoreCommand) Run(ctx context.Context, in *command.Invocation) error {
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		return o.RestoreSpace(ctx, c.ID)
	})
}
