// Package postgres gives each test its own database: real PostgreSQL, migrated and empty, and fast
// to create. The tests of a package share one private cluster, which starts when the first test
// needs a database. In memory, it starts with a copy of a cluster that the first package has created.
//
//	func TestMain(m *testing.M) { postgres.Main(m) }
//
//	func TestSpaces(t *testing.T) {
//		t.Parallel()
//		url := postgres.URL(t, migrate)
//
// It does not import package db: the caller passes the migration, so that the tests of
// package db can use it too.
package postgres
