package access

import (
	"context"

	"portico/model"
)

// operatorsOnly is the text for a caller who is not an operator.
const operatorsOnly = "Only an operator of the server may do this"

// Caller returns the account that makes the request. The doors refuse most requests without a key
// before they call a resolver; the resolver does so for all of them.
func Caller(ctx context.Context) (*model.Caller, error) {
	if c := model.CallerFrom(ctx); c != nil {
		return c, nil
	}
	return nil, model.Unauthenticated()
}

// BrowserCaller returns the caller who has a session. Holders of an API key are refused: a
// key is given to programs, which must not take the account over.
func BrowserCaller(ctx context.Context) (*model.Caller, error) {
	c, err := Caller(ctx)
	if err != nil {
		return nil, err
	}
	if c.Session == "" {
		return nil, model.NeedsSession()
	}
	return c, nil
}

// ProvenCaller returns the caller who has a session, and has just proved that the account is
// theirs: with the password, or by a recent sign-in.
func (r *Rules) ProvenCaller(ctx context.Context, password string) (*model.Caller, error) {
	c, err := BrowserCaller(ctx)
	if err != nil {
		return nil, err
	}
	if err := r.proof.RequireProof(ctx, c, password); err != nil {
		return nil, err
	}
	return c, nil
}

// Operator returns the right of the caller to operate the server. It belongs to a person who is
// signed in with an account that the command line made an operator. The right is read for each
// operation, so it ends immediately. A key never has it, because programs get the key by OAuth.
func (r *Rules) Operator(ctx context.Context) (*model.Operator, error) {
	c, err := BrowserCaller(ctx)
	if err != nil {
		return nil, err
	}
	isOperator, err := r.db.Accounts().IsOperator(ctx, c.UserID)
	if err != nil {
		return nil, err
	}
	if !isOperator {
		return nil, model.Forbidden(operatorsOnly)
	}
	return &model.Operator{UserID: c.UserID}, nil
}

// CheckOperator refuses a right that is not the caller's. What operators read takes the right that
// Operator returned in the same request: one statement reads it for all of them.
func CheckOperator(ctx context.Context, right *model.Operator) error {
	if !IsCaller(model.CallerFrom(ctx), right.UserID) {
		return model.Forbidden(operatorsOnly)
	}
	return nil
}

// ViewerID returns the id of the caller's account; empty without one.
func ViewerID(ctx context.Context) string {
	if c := model.CallerFrom(ctx); c != nil {
		return c.UserID
	}
	return ""
}
