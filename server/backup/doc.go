// Package backup copies a server into a folder and back: its tables, its secret and its files, while
// it runs. The commands backup and restore use it, and a server before it migrates its private
// Postgres.
//
// # The folder
//
//	backup.json          the manifest, which names everything else
//	database-TIME-NAME/  the tables, the secret and the list of the objects of one backup
//	files/KEY            the objects of the store
//	copied.jsonl         the objects that a backup which did not end has copied
//	lock                 held by the process that writes the folder
//
// Replacing the manifest is the last step of a backup. One that is killed before leaves the former
// manifest with everything that it names, and the next one removes what is left over.
//
// # The order
//
// The tables are copied first, in one transaction, and then the objects that their rows name: an
// object is written before its row, and never changes. An object that is deleted meanwhile is
// missing. Then both are copied once more, until the rows of the one transaction name only objects that
// are in the folder, or are missing for good.
//
// A restore copies the objects first and commits the tables last, so a restore that did not end can
// be started again.
package backup
