package property

import "encoding/json"

// The operations of sequences.
const (
	opViewer        = "viewer"
	opCreateSpace   = "create space"
	opSpace         = "space"
	opSpaces        = "spaces"
	opUpdateSpace   = "update space"
	opUpdatePrivacy = "update privacy"
	opDeleteSpace   = "delete space"
	opCreateEntity  = "create entity"
	opEntity        = "entity"
	opEntities      = "entities"
	opUpdateEntity  = "update entity"
	opDeleteEntity  = "delete entity"
	opCreateUpload  = "create upload"
	opSend          = "send bytes"
	opComplete      = "complete upload"
	opFiles         = "files"
	opDeleteFile    = "delete file"
	opConvertFile   = "convert file" // through GraphQL; REST does not have it
	opJob           = "job"
	opJobs          = "jobs"
)

// The two doors.
const (
	doorREST    = "REST"
	doorGraphQL = "GraphQL"
)

// The forms of a request that creates a space through REST.
const (
	formBare    = "bare"
	formWrapped = "wrapped"
	formSpaces  = "POST /spaces"
)

// step is one operation. A placeholder replaces a name that the server chooses: @s1@ is
// the id of the first space, @e1@ the id of an entity, @u1@ the address of an upload,
// @f1@ its resource key, @j1@ its job, @k1@ the job of a conversion, and @c1@ the cursor
// after a page.
//
// A placeholder that is not bound names a thing that does not exist, so that any steps
// of a sequence are a sequence.
type step struct {
	Op   string
	User int // 0 is on the Pro plan, 1 is not
	Door string
	API  bool   `json:",omitempty"` // under /api/v1
	Form string `json:",omitempty"`
	// As is the placeholder of the new thing, or of the cursor after the page.
	As string `json:",omitempty"`

	Space, Entity, File, Upload string  `json:",omitempty"`
	Title, Description          *string `json:",omitempty"`
	Kind, Privacy               string  `json:",omitempty"`
	Type                        string  `json:",omitempty"`
	Data                        string  `json:",omitempty"` // JSON
	Limit, Cursor, Search       string  `json:",omitempty"`
	Name                        string  `json:",omitempty"`
	Size                        int64   `json:",omitempty"`
	Status                      string  `json:",omitempty"`
	Convert                     string  `json:",omitempty"` // the target
}

// String returns the step as a line.
func (s step) String() string {
	b, err := json.Marshal(s)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// reply is the response to a step, in one form for both doors.
type reply struct {
	Status  int    // of REST, 0 of GraphQL
	Code    string // of a refusal
	Message string // of a refusal
	Data    any    // one of the forms below
}

type (
	viewerForm struct {
		Plan                  string
		Used, Promised, Quota int64 // -1 over REST, which does not have it
	}
	madeSpaceForm struct{ URL, Title, Type string }
	spaceForm     struct {
		ID, URL, Title, Description, Type, Privacy string
		Data                                       any // nil in a list
	}
	entityForm struct {
		ID, Type string
		Data     any
	}
	pageForm struct {
		Items []any
		Total int
		More  bool
	}
	uploadForm       struct{ URL, Method, ContentType string }
	sentForm         struct{ Status int }
	confirmationForm struct{ File, URL, Job string }
	fileForm         struct {
		File, Name, ContentType, URL string
		Size                         int64
	}
	jobForm struct {
		ID, Type, Status string
		Progress         float64
	}
	doneForm struct{}
)
