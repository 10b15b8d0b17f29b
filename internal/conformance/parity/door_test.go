package parity

import (
	"encoding/json"
	"strings"

	"portico/internal/testkit/api"
	"portico/model"
)

// door is one way to the core, for one caller. The parity test sends every operation
// through each door and compares the responses, in the neutral forms below. A refused
// operation returns an *api.Refusal, an operation that the door does not have errNoOperation.
type door interface {
	viewer() (viewerForm, error)
	createUpload(name string, size int64) (uploadForm, error)
	completeUpload(status, address string) (confirmationForm, error)
	// upload uploads a file with a name and a text and confirms it.
	upload(name, text string) (confirmationForm, error)
	files() ([]fileForm, error)
	deleteFile(resourceKey string) error
	createAvatar(in avatarInput) (avatarForm, error)
	avatars() ([]avatarForm, error)
	deleteAvatar(id string) error
	// convertFile starts the conversion of a file and returns the id of its job.
	convertFile(resourceKey, to string) (string, error)
	job(id string) (jobForm, error)
	jobs() ([]jobForm, error)
	createSpace(in spaceInput) (spaceForm, error)
	space(id string) (spaceForm, error)
	spaces(search string) ([]spaceForm, error)
	updateSpace(id, title, description string) (spaceForm, error)
	updatePrivacy(id string, privacy model.Privacy) error
	deleteSpace(id string) error
	createEntity(space string, in entityInput) (entityForm, bool, error)
	entity(space, id string) (entityForm, error)
	entities(space string, limit int, after string) (pageForm, error)
	updateEntity(space, id, data string) (entityForm, error)
	deleteEntity(space, id string) error
	// exportSpace returns the files of a space with their contents, by path.
	exportSpace(id string) (map[string]string, error)
	// applyChanges puts a file with this content, and deletes one.
	applyChanges(id, path, content, deleted string, dryRun bool) ([]model.AppliedChange, error)
	lockSpace(id, name string, seconds int, token string) (lockForm, error)
	unlockSpace(id, token string, force bool) (lockForm, error)
	versions(space string) ([]versionForm, error)
	versionChanges(space string, from, to int) ([]changeForm, error)
	nameVersion(space string, number int, name string) (versionForm, error)
	restoreVersion(space string, number int) ([]model.AppliedChange, error)
	screenshot(space string, width int) error
}

// avatarInput has the resource keys of an avatar's files.
type avatarInput struct {
	GLB          string `json:"glb"`
	Splat        string `json:"splat"`
	Binding      string `json:"binding"`
	Fit          string `json:"fit"`
	OriginalName string `json:"originalName"`
	Assign       bool   `json:"assign"`
}

// avatarForm is an avatar without its time. Its id differs always.
type avatarForm struct {
	ID           string `json:"-"`
	URL          string
	OriginalName string
	Assigned     bool
}

// UnmarshalJSON implements json.Unmarshaler: the id is only left out of what is compared.
func (f *avatarForm) UnmarshalJSON(text []byte) error {
	type plain avatarForm
	var read struct {
		plain
		ID string
	}
	err := json.Unmarshal(text, &read)
	*f = avatarForm(read.plain)
	f.ID = read.ID
	return err
}

// uploadOf uploads through a door that has an operation for each step.
func uploadOf(d door, c *api.Client, name, text string) (confirmationForm, error) {
	params, err := d.createUpload(name, int64(len(text)))
	if err != nil {
		return confirmationForm{}, err
	}
	address := c.PutTo(params, strings.NewReader(text), int64(len(text)))
	return d.completeUpload("success", address)
}

type viewerForm struct {
	ID, Name, Email, Plan string
	Used, Quota           int64
}

type uploadForm = api.Upload

// confirmationForm has a job, a file, or neither.
type confirmationForm struct{ JobID, ResourceKey, URL string }

type fileForm struct {
	ResourceKey, Name, ContentType, URL string
	Size                                int64
}

// jobForm is a job without its times and its message.
type jobForm struct {
	ID, Type, Status string
	Progress         float64
	ResourceKey, URL string
	Error            string
}

type spaceInput struct{ Title, Description, ResourceKey, Type string }

type spaceForm struct {
	ID, URL, Title, Description, Type, Privacy string
}

type entityInput struct{ ResourceKey, ID, Type, Data string }

type entityForm struct {
	ID, Type string
	Data     json.RawMessage
}

type pageForm struct {
	Entities []entityForm
	Total    int
	More     bool
	Next     string
}

// set returns the fields that are not empty.
func set(fields map[string]string) map[string]any {
	all := map[string]any{}
	for name, value := range fields {
		if value != "" {
			all[name] = value
		}
	}
	return all
}
