package model

// UploadPartUnit is the unit of the parts of an upload, in bytes: the size of each but the last is
// a multiple of it. A multipart upload to a bucket has parts of this size.
const UploadPartUnit = 8 << 20

// MaxUploadParts is the maximum number of parts of an upload that arrive at the same time.
const MaxUploadParts = 8

// UploadPart is a range of the bytes of an upload that is sent separately, in parallel with others.
type UploadPart struct {
	// Number counts the parts from 1.
	Number int
	// URL is the address to which the bytes are sent. Only createUpload sets it.
	URL string
	// Offset is where the part starts in the file, and Size its length, in bytes.
	Offset, Size int64
}

// SplitUpload returns up to count parts of a file of size bytes. A small file has fewer.
func SplitUpload(size int64, count int) []UploadPart {
	units := (size + UploadPartUnit - 1) / UploadPartUnit
	step := (units + int64(count) - 1) / int64(count) * UploadPartUnit
	var parts []UploadPart
	for offset := int64(0); offset < size; offset += step {
		parts = append(parts, UploadPart{Number: len(parts) + 1, Offset: offset, Size: min(step, size-offset)})
	}
	return parts
}

// PartRanges returns the parts of the upload; nil if its bytes are sent in order.
func (u *Upload) PartRanges() []UploadPart {
	if u.Parts == 0 {
		return nil
	}
	return SplitUpload(u.Size, u.Parts)
}
