// Package postgres gives tests databases of their own: real PostgreSQL, migrated,
// empty, and quick enough for one per test. A package's tests share one private
// cluster, which starts with the first test that asks for a database.
//
//	func TestMain(m *testing.M) { postgres.Main(m) }
//
//	func TestSpaces(t *testing.T) {
//		t.Parallel()
//		url := postgres.URL(t, migrate)
//
// It knows nothing of the tables: the caller passes the migration, so that the
// package of the tables can be tested with it too.
package postgres
