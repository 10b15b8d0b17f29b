package testdb_test

import (
	"testing"

	"portico/internal/testkit/postgres"
	"portico/internal/testkit/postgres/testdb"
)

func TestMain(m *testing.M) { postgres.Main(m) }

func TestOpen_gives_each_test_accounts_of_its_own(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"one", "another"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			database := testdb.Open(t)
			want := testdb.User(t, database, 1000)
			users, err := database.Accounts().Users(t.Context(), "", 10)
			if err != nil {
				t.Fatalf("Users: %v", err)
			}
			if len(users) != 1 || *users[0] != *want {
				t.Errorf("users: got %v, want only %v", users, want)
			}
		})
	}
}
