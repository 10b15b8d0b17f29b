// Package export writes all data of an account as one zip archive: profile, follows, notifications,
// security events, files, and spaces as files with their histories. The archive has no keys,
// password hashes or other secrets. The package checks no rights: package server and the command
// line have done so before they call it.
//
// What is in the archive:
//
//	account, follows, notifications and security events   a JSON file each
//	spaces/ID/                                             the files of a workspace, as a pull returns them
//	spaces/ID/history.json, changes.json                    the versions, and what each of them changed
//	files/UPLOAD/                                          the objects of a file
//	the lists of spaces and files                          written after their content
//	the manifest                                           last
//
// The names are constants of package model. Objects that were derived from files, such as posters,
// are left out: a server makes them again.
package export
