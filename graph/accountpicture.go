package graph

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"time"

	"portico/graph/access"
	"portico/graph/batch"
	"portico/model"
)

// pictureGrace is how long a new picture may stay without an account before it is deleted. It is
// longer than setAccountPicture takes.
const pictureGrace = time.Hour

// SetAccountPicture sets the picture of the caller's account. The text is the picture in base64.
//
// The length of the text is checked before it is decoded, and the size of the image before its
// pixels are. Each picture has a new key, so caches never show an old one.
func (r *Resolver) SetAccountPicture(ctx context.Context, text string) error {
	c, err := access.Caller(ctx)
	if err != nil {
		return err
	}
	if len(text) > base64.StdEncoding.EncodedLen(model.MaxAccountPictureBytes) {
		return pictureError(fmt.Sprintf("must have at most %d bytes", model.MaxAccountPictureBytes))
	}
	sent, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return pictureError("must be base64")
	}
	picture, err := r.shrunkPicture(ctx, c.UserID, sent)
	if err != nil {
		return err
	}
	// The removal is recorded before the object is stored, so a crash leaves no object behind.
	// SetAccountPicture deletes the record.
	key := model.NewAccountPictureKey(c.UserID)
	if err := r.db.Files().ScheduleRemovals(ctx, time.Now().Add(pictureGrace), key); err != nil {
		return err
	}
	if _, err := r.store.Put(ctx, key, bytes.NewReader(picture)); err != nil {
		return r.storeError(err)
	}
	return r.db.Accounts().SetAccountPicture(ctx, c.UserID, key)
}

// shrunkPicture is squarePicture for a few callers at a time, and for one at a time if the picture
// is large, because of the memory that it takes: a progressive JPEG in CMYK of 33 KB takes 96 MiB.
//
// A large picture waits for its turn before it takes a slot, so that many of them do not delay
// ordinary ones.
func (r *Resolver) shrunkPicture(ctx context.Context, userID string, sent []byte) ([]byte, error) {
	header, err := headerOf(sent)
	if err != nil {
		return nil, err
	}
	if header.isLarge() {
		turn, err := waitForTurn(ctx, &r.largePictures, userID, "Too many large pictures at the same time")
		if err != nil {
			return nil, err
		}
		defer turn.Leave()
	}
	slot, err := r.pictureSlots.Wait(ctx, userID, 1, nil)
	if err != nil {
		return nil, err
	}
	defer slot.Leave()
	return squarePicture(header, sent)
}

// RemoveAccountPicture removes the picture of the caller's account.
func (r *Resolver) RemoveAccountPicture(ctx context.Context) error {
	c, err := access.Caller(ctx)
	if err != nil {
		return err
	}
	return r.db.Accounts().SetAccountPicture(ctx, c.UserID, "")
}

// PictureURL returns the address of the picture with this storage key; nil for an empty key.
// Everybody may see the picture of an account, as they may see its name.
func (r *Resolver) PictureURL(key string) *string {
	if key == "" {
		return nil
	}
	url := r.store.PublicURL(key)
	return &url
}

// PicturesOf returns the addresses of the pictures of these accounts. It is a loader of batch.Load:
// one query for all accounts of a page.
func (r *Resolver) PicturesOf(ctx context.Context, users []*model.Profile) (map[*model.Profile]*string, error) {
	return batch.ByKey(users, func(user *model.Profile) string { return user.ID },
		func(ids []string) (map[string]*string, error) {
			keys, err := r.db.Accounts().AccountPictures(ctx, ids)
			urls := make(map[string]*string, len(keys))
			for id, key := range keys {
				urls[id] = r.PictureURL(key)
			}
			return urls, err
		})
}
