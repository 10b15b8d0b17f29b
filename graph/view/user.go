package view

import (
	"context"

	"portico/graph"
	"portico/model"
)

// User is the caller's account.
type User struct {
	ID      string     `json:"id" jsonschema:"The account's id; ids of its spaces begin with it."`
	Name    string     `json:"name" jsonschema:"The account's name."`
	Email   string     `json:"email" jsonschema:"The account's e-mail address."`
	Plan    model.Plan `json:"plan" jsonschema:"pro is needed for Link Only spaces."`
	Storage Storage    `json:"storage" jsonschema:"How much of the account's storage is used."`
	// Without an avatar, clients read the address of the picture by either name.
	AvatarURL       string `json:"avatarUrl,omitempty" jsonschema:"The address of the glb of the account's avatar, or of its picture without an avatar; omitted without both."`
	ProfileImageURL string `json:"profileImageUrl,omitempty" jsonschema:"The address of the picture of the avatar or of the account; omitted without one."`
}

// Storage is the used and the available storage, in bytes.
type Storage struct {
	Used  int64 `json:"used" jsonschema:"Bytes of files with their posters and views, of uploads that a job works on, and of the JSON that is kept."`
	Quota int64 `json:"quota" jsonschema:"Bytes that the account may store."`
}

// NewUser returns the view of the caller's account.
func NewUser(ctx context.Context, r *graph.Resolver, user *model.User) (User, error) {
	storage, err := r.Storage(ctx, user.ID)
	if err != nil {
		return User{}, err
	}
	avatar, image, err := r.AccountImages(ctx, user.ID)
	if err != nil {
		return User{}, err
	}
	return User{
		ID: user.ID, Name: user.Name, Email: user.Email, Plan: user.Plan,
		Storage:   Storage{Used: storage.Used, Quota: storage.Quota},
		AvatarURL: avatar, ProfileImageURL: image,
	}, nil
}
