package mcp

import (
	"context"
	"fmt"

	"portico/graph/view"
	"portico/model"
)

// lockInput is a part of the input of every tool that changes the content of a space.
type lockInput struct {
	LockToken string `json:"lock_token,omitempty" jsonschema:"The lock_token of lock_space, if you have locked the space."`
}

// context returns the context with the token.
func (in lockInput) context(ctx context.Context) context.Context {
	return model.WithLockToken(ctx, in.LockToken)
}

type lockSpaceInput struct {
	spaceInput
	Name      string  `json:"name" jsonschema:"The name that other editors see."`
	Seconds   *int    `json:"seconds,omitempty" jsonschema:"How long the lock lasts, from 10 to 3600 seconds; 300 by default."`
	LockToken *string `json:"lock_token,omitempty" jsonschema:"Renews the lock that has this token."`
}

// lockOutput is the output of lock_space and unlock_space.
type lockOutput struct{ view.Lock }

func (o lockOutput) summary() string {
	if o.Lock.Lock == nil {
		return "The space is not locked"
	}
	return fmt.Sprintf("%q has locked the space until %s", o.Lock.Lock.Name, o.Lock.Lock.Until)
}

func (d *door) lockSpace(ctx context.Context, in lockSpaceInput) (lockOutput, error) {
	locked, err := d.Resolver.Mutation().LockSpace(ctx, model.LockSpace{
		SpaceID: in.SpaceID, Name: in.Name, Seconds: in.Seconds, LockToken: in.LockToken,
	})
	if err != nil {
		return lockOutput{}, err
	}
	return lockOutput{view.NewHeldLock(locked)}, nil
}

// unlockSpaceInput ends a lock.
type unlockSpaceInput struct {
	spaceInput
	LockToken *string `json:"lock_token,omitempty" jsonschema:"The token of the lock."`
	Force     *bool   `json:"force,omitempty" jsonschema:"Whether to end the lock of another editor too; false by default."`
}

func (d *door) unlockSpace(ctx context.Context, in unlockSpaceInput) (lockOutput, error) {
	space, err := d.Resolver.Mutation().UnlockSpace(ctx, model.UnlockSpace{
		SpaceID: in.SpaceID, LockToken: in.LockToken, Force: in.Force != nil && *in.Force,
	})
	if err != nil {
		return lockOutput{}, err
	}
	return lockOutput{view.NewLock(space)}, nil
}
