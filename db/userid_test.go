package db

import (
	"fmt"
	"testing"

	"portico/internal/testkit/postgres"
	"portico/model"
)

// Sign-up creates an account and more in one transaction.
func TestCreateUser_tries_another_id_within_a_transaction(t *testing.T) {
	t.Parallel()
	owner, _ := postgres.Empty(t, migrateTest)
	check(t, migrateTest(t.Context(), owner, owner))
	db := openTest(t, Options{URL: owner, Connections: 1, Logger: quiet()}) // one that may create triggers
	first := addUser(t, db)
	// The first id that is tried belongs to another account.
	exec(t, db, fmt.Sprintf(`
		CREATE SEQUENCE tried_ids;
		CREATE FUNCTION take_first_id() RETURNS trigger LANGUAGE plpgsql AS $$
		BEGIN
			IF nextval('tried_ids') = 1 THEN NEW.id := '%s'; END IF;
			RETURN NEW;
		END $$;
		CREATE TRIGGER take_first_id BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION take_first_id()`, first.ID))
	var second *model.User
	check(t, db.InTx(t.Context(), func(tx *DB) error {
		var err error
		if second, err = tx.Accounts().CreateUser(t.Context(), model.CreateUser{Email: "second@example.com", Plan: model.PlanFree, Quota: 1}); err != nil {
			return err
		}
		return tx.SignIns().MarkEmailUnproven(t.Context(), second.ID)
	}))
	stored, err := db.Accounts().User(t.Context(), second.ID)
	check(t, err)
	if stored.Email != "second@example.com" || second.ID == first.ID {
		t.Errorf("account %s: got %q, want the second account under an id of its own", second.ID, stored.Email)
	}
}
