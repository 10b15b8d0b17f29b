package db

import (
	"regexp"
	"sync"
	"testing"
	"time"

	"portico/model"
)

func TestCreateUser_refuses_an_address_twice(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	in := model.CreateUser{Email: "Ada@Example.com", PasswordHash: "hash", Quota: 7}
	check(t, in.Validate())
	user, err := db.Accounts().CreateUser(ctx, in)
	check(t, err)
	if !regexp.MustCompile(`^[1-9][0-9]{7}$`).MatchString(user.ID) {
		t.Errorf("id: got %q, want 8 digits", user.ID)
	}
	want := model.User{
		ID: user.ID, Email: "ada@example.com", Name: "Member " + user.ID, PasswordHash: "hash", Plan: model.PlanFree, Quota: 7,
		CreatedAt: user.CreatedAt, ChangedAt: user.ChangedAt,
	}
	got, err := db.Accounts().UserByEmail(ctx, "ada@example.com")
	check(t, err)
	if *got != want {
		t.Errorf("user: got %+v, want %+v", *got, want)
	}
	in.Email = "ADA@example.COM"
	check(t, in.Validate())
	_, err = db.Accounts().CreateUser(ctx, in)
	checkCode(t, err, model.CodeInvalid)
}

func TestCreateUser_gives_an_address_to_one_of_many(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	const attempts = 10
	errs := make(chan error, attempts)
	var all sync.WaitGroup
	for range attempts {
		all.Go(func() {
			_, err := db.Accounts().CreateUser(t.Context(), model.CreateUser{Email: "a@b.example", Plan: model.PlanPro})
			errs <- err
		})
	}
	all.Wait()
	close(errs)
	codes := map[model.Code]int{}
	for err := range errs {
		codes[model.CodeOf(err)]++
	}
	if codes[""] != 1 || codes[model.CodeInvalid] != attempts-1 {
		t.Errorf("responses: got %v, want 1 account and %d refusals", codes, attempts-1)
	}
}

func TestUpdateUser_keeps_the_email_address(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	before := *user
	user.Name, user.Plan, user.Quota = "Bob", model.PlanPro, 0
	user.Email = "ignored@example.com"
	check(t, db.Accounts().UpdateUser(t.Context(), user))
	got, err := db.Accounts().User(t.Context(), user.ID)
	check(t, err)
	want := *user
	want.Email = before.Email
	if *got != want {
		t.Errorf("user: got %+v, want %+v", *got, want)
	}
	if !got.ChangedAt.After(before.ChangedAt.Time) {
		t.Errorf("changed: got %v, want later than %v", got.ChangedAt, before.ChangedAt)
	}
}

func TestUsers_in_pages_by_address(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	for _, email := range []string{"c@x", "a@x", "b@x"} {
		_, err := db.Accounts().CreateUser(t.Context(), model.CreateUser{Email: email, Plan: model.PlanFree})
		check(t, err)
	}
	var got []string
	for after := ""; ; {
		users, err := db.Accounts().Users(t.Context(), after, 2)
		check(t, err)
		if len(users) == 0 {
			break
		}
		for _, user := range users {
			got = append(got, user.Email)
			after = user.Email
		}
	}
	if len(got) != 3 || got[0] != "a@x" || got[1] != "b@x" || got[2] != "c@x" {
		t.Errorf("users: got %v, want a, b, c", got)
	}
}

func TestStorage_counts_files_jobs_and_open_reservations(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	ctx := t.Context()
	user := addUser(t, db)
	confirmed := addUpload(t, db, user, 1, time.Hour)
	_, err := db.Uploads().MoveUpload(ctx, confirmed.ID, model.UploadPending, model.UploadConfirmed)
	check(t, err)
	file := model.NewFile(confirmed)
	file.Size = 1 << 40 // more than was sent: it was unpacked
	file.DerivedBytes = 7
	check(t, db.Files().AddFile(ctx, file))
	addJob(t, db, user) // 10 bytes that a job works on
	addUpload(t, db, user, 100, time.Hour)
	addUpload(t, db, user, 200, time.Hour)
	addUpload(t, db, user, 1000, -time.Hour) // its reservation has expired
	for _, state := range []model.UploadState{model.UploadDiscarded, model.UploadFailed} {
		upload := addUpload(t, db, user, 10_000, time.Hour)
		_, err := db.Uploads().MoveUpload(ctx, upload.ID, model.UploadPending, state)
		check(t, err)
	}
	addUpload(t, db, addUser(t, db), 5, time.Hour) // another's
	got, err := db.Accounts().Storage(ctx, user.ID)
	check(t, err)
	if want := (model.Storage{Used: 1<<40 + 17, Reserved: 300, Quota: 1_000_000}); got != want {
		t.Errorf("storage: got %+v, want %+v", got, want)
	}
	empty, err := db.Accounts().Storage(ctx, addUser(t, db).ID)
	check(t, err)
	if want := (model.Storage{Quota: 1_000_000}); empty != want {
		t.Errorf("storage of nothing: got %+v, want %+v", empty, want)
	}
}

// Two requests that both see enough room must not both get it.
func TestLockStorage_lets_one_reserve_at_a_time(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	setQuota(t, db, user, 1000) // room for 2 uploads of 400 bytes
	const attempts = 8
	granted := make(chan bool, attempts)
	var all sync.WaitGroup
	for range attempts {
		all.Go(func() {
			err := db.InTx(t.Context(), func(tx *DB) error {
				storage, err := tx.Accounts().LockStorage(t.Context(), user.ID)
				if err != nil || storage.Free() < 400 {
					return err
				}
				addUpload(t, tx, user, 400, time.Hour)
				granted <- true
				return nil
			})
			if err != nil {
				t.Errorf("InTx: %v", err)
			}
		})
	}
	all.Wait()
	if got, want := len(granted), 2; got != want {
		t.Errorf("uploads granted: got %d, want %d", got, want)
	}
}

func TestLockStorage_waits_for_the_transaction_before(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	user := addUser(t, db)
	locked, second := make(chan struct{}), make(chan model.Storage, 1)
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		_, err := tx.Accounts().LockStorage(t.Context(), user.ID)
		check(t, err)
		go func() {
			_ = db.InTx(t.Context(), func(other *DB) error {
				close(locked)
				storage, err := other.Accounts().LockStorage(t.Context(), user.ID)
				second <- storage
				return err
			})
		}()
		<-locked
		addUpload(t, tx, user, 400, time.Hour)
		return nil
	}))
	if got, want := receive(t, second, "the second lock").Reserved, int64(400); got != want {
		t.Errorf("reserved, seen by the second: got %d, want %d", got, want)
	}
}
