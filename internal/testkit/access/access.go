// Package access is the table of who may do what with a space. The rules are written twice: in Go
// in graph/access, and as SQL in db/owner.go. The tests of both packages compare their rules
// with this table, so that a rule that changes in one place only fails a test. Only tests may
// import it.
package access

import (
	"fmt"

	"portico/model"
)

// Visitor is who sends a request.
type Visitor string

// The rules differ for these.
const (
	Owner     Visitor = "the owner"
	Stranger  Visitor = "a stranger"
	Anonymous Visitor = "anonymous" // has no key
	// Guest has no key, and has entered the space by a share link. LinkedStranger has both.
	Guest          Visitor = "a guest by a share link"
	LinkedStranger Visitor = "a stranger who has entered by a share link"
)

// HasLink reports whether the visitor has entered the space by a share link.
func (v Visitor) HasLink() bool { return v == Guest || v == LinkedStranger }

// HasKey reports whether the visitor has a key. The doors refuse a revoked one before the rules decide.
func (v Visitor) HasKey() bool { return v != Anonymous && v != Guest }

// Lock is the lock of a space, and the token that a request sends.
type Lock struct {
	Name string
	// Token is the token of the lock; "" for a space without one.
	Token string
	// Until is when the lock ends, as an interval of Postgres from now; "" for a space that never
	// had a lock.
	Until string
	// Sent is the token of the request; "" for none.
	Sent string
}

// SetSpace is a statement that changes the space $1 to the privacy $2 and the lock with the token
// $3 until $4.
const SetSpace = `UPDATE spaces SET privacy = $2, lock_token = nullif($3, ''), locked_until = now() + nullif($4, '')::interval WHERE id = $1`

// Case is a request for a space, and what the rules must decide.
type Case struct {
	Visitor Visitor
	Privacy model.Privacy
	Lock    Lock

	// Owns is whether the space is the visitor's.
	Owns bool
	// Reads is whether the visitor may open the space.
	Reads bool
	// EverybodyReads is whether everybody who has the link may open the space.
	EverybodyReads bool
	// EverybodyFinds is whether the space is in public lists.
	EverybodyFinds bool
	// IsUnlocked is whether no other editor has locked the space.
	IsUnlocked bool
}

// String describes the request.
func (c Case) String() string {
	return fmt.Sprintf("%s, %s space %s", c.Visitor, c.Privacy, c.Lock.Name)
}

// spaces says who owns and reads a space, and whether everybody reads and finds it.
var spaces = []struct {
	visitor                      Visitor
	privacy                      model.Privacy
	owns, reads, everybody, find bool
}{
	{Owner, model.Private, true, true, false, false},
	{Owner, model.LinkOnly, true, true, true, false},
	{Owner, model.Public, true, true, true, true},
	{Stranger, model.Private, false, false, false, false},
	{Stranger, model.LinkOnly, false, true, true, false},
	{Stranger, model.Public, false, true, true, true},
	{Anonymous, model.Private, false, false, false, false},
	{Anonymous, model.LinkOnly, false, true, true, false},
	{Anonymous, model.Public, false, true, true, true},
	{Guest, model.Private, false, true, false, false},
	{Guest, model.LinkOnly, false, true, true, false},
	{Guest, model.Public, false, true, true, true},
	{LinkedStranger, model.Private, false, true, false, false},
	{LinkedStranger, model.LinkOnly, false, true, true, false},
	{LinkedStranger, model.Public, false, true, true, true},
}

// locks says which requests meet no lock of another editor.
var locks = []struct {
	lock     Lock
	unlocked bool
}{
	{Lock{"that was never locked", "", "", ""}, true},
	{Lock{"that was never locked, with a token", "", "", "mine"}, true},
	{Lock{"whose lock was released by a later transaction", "", "1 hour", ""}, true},
	{Lock{"whose lock has ended", "other", "-1 second", ""}, true},
	{Lock{"that the request has locked", "mine", "1 hour", "mine"}, true},
	{Lock{"that another editor has locked, without a token", "other", "1 hour", ""}, false},
	{Lock{"that another editor has locked, with another token", "other", "1 hour", "mine"}, false},
}

// Cases returns every visitor, for every privacy and every lock.
//
// Other states of a space or an account change no rule: a takedown makes a space Private, and a
// disabled account has no valid key.
func Cases() []Case {
	var cases []Case
	for _, space := range spaces {
		for _, lock := range locks {
			cases = append(cases, Case{
				Visitor: space.visitor, Privacy: space.privacy, Lock: lock.lock,
				Owns: space.owns, Reads: space.reads, EverybodyReads: space.everybody, EverybodyFinds: space.find,
				IsUnlocked: lock.unlocked,
			})
		}
	}
	return cases
}
