package db

// The numbers of the advisory locks. They are arbitrary, but all locks in a database must have
// different numbers; db/private has another one, rolesLock. Never change a number: processes of
// two versions may run together during an upgrade.
const (
	// migrationLock makes the replicas migrate one after the other.
	migrationLock = 7_041_776_001
	// firstUserLock is the lock of transactions that create the first account.
	firstUserLock = 7_165_430_218
)
