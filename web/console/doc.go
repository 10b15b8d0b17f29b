// Package console serves the console: the application in which people publish captures and
// look after their spaces and files. What runs in the browser is in folder src, in
// TypeScript; it is built into web/dist and speaks GraphQL with the session of who is signed
// in, like any other client. This package serves the page that loads it.
package console
