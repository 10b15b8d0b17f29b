package model

// Takedown is why and when an operator took a space down.
type Takedown struct {
	SpaceID   string `bun:",pk"`
	Reason    ReportReason
	Text      string
	CreatedAt Time
}

// SpaceTakenDown refuses to publish a space that was taken down.
const SpaceTakenDown = "An operator has taken this space down: it stays Private until it is restored"
