// Package tus receives resumable uploads by the tus protocol, version 1.0: HEAD returns how
// many bytes have arrived, PATCH sends the next ones, DELETE gives the upload up. An upload is
// created and confirmed by the operations of the other doors, createUpload and completeUpload.
//
// The bytes of a large upload can arrive in parts at the same time: partial and final uploads of
// the extension Concatenation. createUpload makes all of them at once, so the size of each part is
// known, its bytes are written to their final place, and completeUpload copies none.
//
// The library tusd speaks the protocol. The rules, such as whose an upload is and whether it
// still takes bytes, are in package graph, and the bytes in package storage.
package tus
