// Package console serves the console: the application in which people publish captures and manage
// their spaces and files. The TypeScript sources are in src. They are built into web/dist and use
// GraphQL with the session of the signed-in user, like any other client. This package serves the
// page that loads the script.
package console
