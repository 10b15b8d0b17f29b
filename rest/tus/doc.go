// Package tus receives resumable uploads by the tus protocol, version 1.0
// (https://tus.io/protocols/resumable-upload): HEAD returns how many bytes the server has, PATCH
// sends the next bytes, DELETE discards the upload. The operations createUpload and completeUpload
// of the other doors create and confirm an upload. Only package server uses it.
//
// The bytes of a large upload can be sent in several parts at the same time, as partial and final
// uploads of the extension Concatenation. createUpload creates all parts together, so the size of
// each part is known: its bytes are written to their final position, and completeUpload copies
// nothing.
//
// The library tusd implements the protocol. Package graph has the rules, such as who owns an upload
// and whether it still accepts bytes. Package storage has the bytes.
//
// What each request gets (tus 1.0.0, Core Protocol), besides 401, 404, and 429 over the limit of
// all requests, in which a PATCH with bytes does not count:
//
//	HEAD      200 with Upload-Offset and Upload-Length
//	PATCH     204 with the new Upload-Offset
//	          409 at another offset than the stored one
//	          413 with more bytes than the upload has
//	          415 with another media type than application/offset+octet-stream
//	          423 while another request appends
//	          429 while too many requests of the account send bytes, and after too many of which
//	          no byte was stored
//	          507 when the server has no room
//	DELETE    204; a part returns 405
//	OPTIONS   what the server supports, without a key
//
// X-HTTP-Method-Override names the method for clients that cannot send PATCH or DELETE. A request of
// another version of the protocol gets 412.
package tus
