package input

import "bytes"

// MaxPointerSize is the maximum size of a Git LFS pointer in bytes, by its specification.
const MaxPointerSize = 1024

// IsPointer reports whether a file with this start is a pointer of Git LFS, which a repository has in
// the place of a large file until it is fetched.
func IsPointer(start []byte) bool {
	return bytes.HasPrefix(start, []byte("version https://git-lfs.github.com/spec/v1"))
}

// Pointer returns the Error about a file that is a pointer of Git LFS. Without a name it is about an
// archive.
func Pointer(name string) *Error {
	e := &Error{Message: "The archive is a Git LFS pointer, not the file itself"}
	if name != "" {
		e = Errorf(name, "is a Git LFS pointer, not the file itself")
	}
	return e.Advise("Run git lfs pull and upload the file that is there then")
}
