// Package tus receives resumable uploads by the tus protocol, version 1.0
// (https://tus.io/protocols/resumable-upload): HEAD returns how many bytes the server has, PATCH
// sends the next bytes, DELETE discards the upload. The operations createUpload and completeUpload of
// the other doors create and confirm an upload. Only package server uses it.
//
// The bytes of a large upload can be sent in several parts at the same time, as partial and final
// uploads of the extension Concatenation. createUpload creates all parts together, so the size of each
// part is known: its bytes are written to their final position, and completeUpload copies nothing.
//
// The library tusd implements the protocol. Package graph has the rules, such as who owns an upload
// and whether it still accepts bytes. Package storage has the bytes.
package tus
