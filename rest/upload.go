package rest

import (
	"cmp"
	"net/http"

	"portico/model"
)

// The upload types. The specification has only the first (API section 2, Upload parameters).
const (
	presignedURL = "presigned_url"
	resumableURL = "resumable_url"
)

// createUploadBody is the body of POST /files/upload (API section 4, Uploads). The required fields
// are pointers, to distinguish a missing field from an empty one.
type createUploadBody struct {
	FileName *string `json:"file_name"`
	// FileSize is the exact number of bytes: the presigned URL accepts no other size.
	FileSize *model.FileSize `json:"file_size"`
	// ContentType is the media type that the upload must be sent with.
	ContentType *string `json:"content_type"`
	// The fields below are optional. The specification does not have them.
	ConvertTo model.ConversionTarget `json:"convert_to"`
	// Resumable means that the bytes can be sent in several requests.
	Resumable bool `json:"resumable"`
	// Parts is the number of parts that can be sent at the same time.
	Parts int `json:"parts"`
}

// check refuses a body without one of the fields.
func (b createUploadBody) check() error {
	return cmp.Or(
		required("file_name", b.FileName),
		required("file_size", b.FileSize),
		required("content_type", b.ContentType),
	)
}

// uploadView is the response to POST /files/upload (API section 2, Upload
// parameters).
type uploadView struct {
	UploadType string           `json:"upload_type"`
	Params     uploadParamsView `json:"params"`
}

// uploadParamsView is the request that sends the bytes.
type uploadParamsView struct {
	// URL has a signature, so it is a secret until it expires.
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	// Parts is omitted for an upload without parts.
	Parts []uploadPartView `json:"parts,omitempty"`
}

// uploadPartView is a part of an upload, with its own address.
type uploadPartView struct {
	URL    string `json:"url"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
}

// createUpload handles POST /files/upload.
//
// The response is API section 2, Upload parameters. parts and the upload type resumable_url are
// ours.
func (a *api) createUpload(w http.ResponseWriter, r *http.Request) error {
	var body createUploadBody
	if err := a.decode(w, r, &body); err != nil {
		return err
	}
	if err := body.check(); err != nil {
		return err
	}
	params, err := a.resolver.Mutation().CreateUpload(r.Context(), model.CreateUpload{
		FileName: *body.FileName, FileSize: *body.FileSize, ContentType: *body.ContentType, ConvertTo: body.ConvertTo,
		Resumable: body.Resumable, Parts: body.Parts,
	})
	if err != nil {
		return err
	}
	// The headers are an object in REST, and a list in GraphQL, which has no maps.
	headers := make(map[string]string, len(params.Headers))
	for _, header := range params.Headers {
		headers[header.Name] = header.Value
	}
	kind := presignedURL
	if body.Resumable {
		kind = resumableURL
	}
	var parts []uploadPartView
	for _, part := range params.Parts {
		parts = append(parts, uploadPartView{part.URL, part.Offset, part.Size})
	}
	return respondOK(w, uploadView{kind, uploadParamsView{params.URL, params.Method, headers, parts}})
}
