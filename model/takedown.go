package model

// Takedown is the decision of an operator to take a space down.
type Takedown struct {
	SpaceID   string `bun:",pk"`
	Reason    ReportReason
	Text      string
	CreatedAt Time
}

// SpaceTakenDown refuses to publish a space that was taken down.
const SpaceTakenDown = "An operator has taken this space down: it stays Private until it is restored"
