// Package export writes the content of an account as one zip archive: profile, follows,
// notifications, security events, files, and spaces as files with their histories. The archive has
// no keys, password hashes or other secrets. The package checks no rights: package server and the
// command line have done so before they call it.
//
// What is in the archive:
//
//	account, follows, notifications and security events   a JSON file each
//	spaces/ID/                                             the files of a workspace, as a pull returns them
//	spaces/ID/statistics.json                               the counts of the last days
//	spaces/ID/history.json, changes.json                    the versions, and what each of them changed
//	files/UPLOAD/                                          the objects of a file
//	the lists of spaces and files                          written after their content
//	the manifest                                           last
//
// The names are constants of package model.
//
// What is left out:
//
//	posters, views, collisions      a server derives them from the files again
//	the picture of the account
//	passkeys, identities, sessions  they are ways to sign in to this server
//	connected apps, webhooks        they depend on the key of this server, and on secrets
//	unconfirmed uploads, jobs       their files are in the archive when they have ended
package export
