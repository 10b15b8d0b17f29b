package disk

import (
	"time"

	"portico/model"
)

// The refusals of a presigned PUT (see package door).
var (
	errNotSigned = model.Forbidden("The upload address was not issued for this method, path, Content-Type and size")
	errExpired   = model.Forbidden("The upload address has expired")
	errWrongSize = model.Forbidden("The body does not have the size of the upload")
	errConflict  = &model.Error{Code: model.CodeConflict, Message: "Another file was already uploaded to this address"}
	errSettled   = &model.Error{Code: model.CodeConflict, Message: "The upload was confirmed or discarded already"}
	errBusy      = &model.Error{Code: model.CodeRateLimited, Message: "This file is already being uploaded several times at once", RetryAfter: busyWait}
	errTooMany   = &model.Error{Code: model.CodeRateLimited, Message: "Too many uploads at the same time", RetryAfter: busyWait}
	errGaveWay   = &model.Error{Code: model.CodeRateLimited, Message: "Other uploads needed the place of this one, which was slow", RetryAfter: busyWait}
)

// busyWait is how long the sender of errBusy should wait. It is an estimate:
// nobody knows when another upload to the address ends.
const busyWait = 5 * time.Second
