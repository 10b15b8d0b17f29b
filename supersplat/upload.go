package supersplat

import (
	"net/http"
	"time"

	"portico/model"
)

// createUploadBody is the body of POST /splats/uploads. Other fields, such as uploadClient, are
// ignored.
type createUploadBody struct {
	SourceFormat  model.SplatFormat `json:"sourceFormat"`
	ContentLength model.FileSize    `json:"contentLength"`
	Title         string            `json:"title"`
	Description   string            `json:"description"`
	SoftwareTools []string          `json:"softwareTools"`
}

// uploadView is an upload as the API shows it. SplatID and EditURL are set once the upload was
// completed: clients that continue an upload need them.
type uploadView struct {
	ID            string     `json:"id"`
	Status        string     `json:"status"`
	ContentLength int64      `json:"contentLength"`
	SourceFormat  string     `json:"sourceFormat"`
	Title         string     `json:"title"`
	Description   string     `json:"description"`
	SoftwareTools []string   `json:"softwareTools,omitempty"`
	PartSize      int64      `json:"partSize"`
	UploadedParts []partView `json:"uploadedParts"`
	ExpiresAt     model.Time `json:"expiresAt"`
	SplatID       string     `json:"splatId,omitempty"`
	EditURL       string     `json:"editUrl,omitempty"`
}

// partView is a part that has arrived.
type partView struct {
	PartNumber int    `json:"partNumber"`
	ETag       string `json:"etag"`
	Size       int64  `json:"size"`
}

// quoted returns an ETag as headers have it.
func quoted(etag string) string { return `"` + etag + `"` }

func (d *door) newUploadView(u *model.SplatUpload) uploadView {
	v := uploadView{
		ID: u.UploadID, Status: statusOfUpload(u), ContentLength: u.Upload.Size, SourceFormat: string(u.Format), Title: u.Title,
		Description: u.Description, SoftwareTools: u.SoftwareTools, PartSize: u.PartSize(), UploadedParts: []partView{},
		ExpiresAt: u.Upload.ExpiresAt,
	}
	ranges := u.Upload.PartRanges()
	for _, part := range u.Parts {
		v.UploadedParts = append(v.UploadedParts, partView{part.Part, quoted(part.ETag), ranges[part.Part-1].Size})
	}
	if u.Published {
		v.SplatID, v.EditURL = u.SpaceID, d.editURL(u.SpaceID)
	}
	return v
}

func statusOfUpload(u *model.SplatUpload) string {
	switch {
	case u.Published:
		return statusCompleted
	case u.IsCanceled(), u.Upload.State == model.UploadFailed:
		return "canceled"
	case len(u.Parts) > 0:
		return "uploading"
	}
	return "created"
}

// createUpload handles POST /splats/uploads: 201 with a new upload, or 200 with the upload of an
// earlier request with the same idempotency key.
func (d *door) createUpload(w http.ResponseWriter, r *http.Request) error {
	var body createUploadBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	upload, created, err := d.Resolver.CreateSplatUpload(r.Context(), model.CreateSplatUpload{
		Format: body.SourceFormat, Size: body.ContentLength, Title: body.Title, Description: body.Description,
		SoftwareTools: body.SoftwareTools, IdempotencyKey: r.Header.Get("Idempotency-Key"),
	})
	if err != nil {
		return err
	}
	return respond(w, createdOr200(created), d.newUploadView(upload))
}

func createdOr200(created bool) int {
	if created {
		return http.StatusCreated
	}
	return http.StatusOK
}

// upload handles GET /splats/uploads/{uploadId}.
func (d *door) upload(w http.ResponseWriter, r *http.Request) error {
	upload, err := d.Resolver.SplatUpload(r.Context(), pathValue(r, "uploadId"))
	if err != nil {
		return err
	}
	return respond(w, http.StatusOK, d.newUploadView(upload))
}

type partURLsBody struct {
	Parts []int `json:"parts"`
}

type partURLsView struct {
	UploadID string        `json:"uploadId"`
	PartSize int64         `json:"partSize"`
	URLs     []partURLView `json:"urls"`
}

type partURLView struct {
	PartNumber int        `json:"partNumber"`
	URL        string     `json:"url"`
	ExpiresAt  model.Time `json:"expiresAt"`
}

// addressLifetime is how long the address of a part works. A client with a slow line that asks for the
// addresses of a hundred parts reaches the last one hours later. It ends sooner with its upload.
const addressLifetime = model.ResumableLifetime

// partURLs handles POST /splats/uploads/{uploadId}/part-upload-urls.
func (d *door) partURLs(w http.ResponseWriter, r *http.Request) error {
	var body partURLsBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	upload, err := d.Resolver.SplatPartURLs(r.Context(), pathValue(r, "uploadId"), body.Parts)
	if err != nil {
		return err
	}
	expires := model.Time{Time: time.Now().Add(addressLifetime).Truncate(time.Second).UTC()}
	v := partURLsView{UploadID: upload.UploadID, PartSize: upload.PartSize()}
	for _, part := range body.Parts {
		v.URLs = append(v.URLs, partURLView{part, d.address(upload.UploadID, part, expires.Time), expires})
	}
	return respond(w, http.StatusOK, v)
}

// completeBody is the body of POST /splats/uploads/{uploadId}/complete.
type completeBody struct {
	Parts []struct {
		PartNumber int    `json:"partNumber"`
		ETag       string `json:"etag"`
	} `json:"parts"`
}

type completedView struct {
	UploadID string `json:"uploadId"`
	Status   string `json:"status"`
	SplatID  string `json:"splatId"`
	EditURL  string `json:"editUrl"`
}

// complete handles POST /splats/uploads/{uploadId}/complete: 201, or 200 for an upload that was
// completed before.
func (d *door) complete(w http.ResponseWriter, r *http.Request) error {
	var body completeBody
	if err := decode(w, r, &body); err != nil {
		return err
	}
	var parts []*model.SplatPart
	for _, part := range body.Parts {
		parts = append(parts, &model.SplatPart{Part: part.PartNumber, ETag: part.ETag})
	}
	upload, created, err := d.Resolver.CompleteSplatUpload(r.Context(), pathValue(r, "uploadId"), parts)
	if err != nil {
		return err
	}
	w.Header().Set("Location", prefix+"/splats/"+upload.SpaceID)
	return respond(w, createdOr200(created), completedView{upload.UploadID, statusCompleted, upload.SpaceID, d.editURL(upload.SpaceID)})
}
