package backup

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"time"

	"portico/db/dump"
	"portico/storage"
)

// format is the version of the folder's form. A program refuses a higher one.
const format = 1

// The names in the folder.
const (
	manifestName = "backup.json"
	filesFolder  = "files"
	copiedName   = "copied.jsonl"
	lockName     = "lock"
	// In the folder of the tables.
	secretName  = "secret"
	objectsName = "objects.jsonl"
)

// manifest describes a backup.
type manifest struct {
	Format    int       `json:"format"`
	CreatedAt time.Time `json:"created_at"` // when its transaction started
	Version   string    `json:"version"`    // of the program
	// Migrations made the tables.
	Migrations []string         `json:"migrations"`
	Folder     string           `json:"folder"` // of the tables
	Tables     []tableFile      `json:"tables"` // in the order in which they are filled
	Sequences  map[string]int64 `json:"sequences"`
	Secret     sum              `json:"secret"`
	// Objects is nil for a backup of the database alone.
	Objects *objectList `json:"objects"`
	// Check is the hash of the manifest without it.
	Check string `json:"check"`
}

// hash returns what Check must be.
func (m manifest) hash() (string, error) {
	m.Check = ""
	text, err := json.Marshal(m)
	hash := sha256.Sum256(text)
	return hex.EncodeToString(hash[:]), err
}

// sum is what a file must be.
type sum struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// tableFile is the file of a table, which has its name.
type tableFile struct {
	dump.Table

	Rows int64 `json:"rows"`
	sum
}

func (t tableFile) name() string { return t.Name + ".copy" }

// objectList is the file objects.jsonl.
type objectList struct {
	sum

	Count int   `json:"count"`
	Total int64 `json:"total_bytes"`
}

// object is a copied object.
type object struct {
	Key    string `json:"key"`
	ETag   string `json:"etag"` // in the store that it was copied from
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// errNoBackup means that a folder has no manifest.
var errNoBackup = errors.New("there is no backup")

// readManifest returns the manifest of a folder.
func readManifest(root *os.Root) (*manifest, error) {
	text, err := root.ReadFile(manifestName)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w in %s", errNoBackup, root.Name())
	}
	if err != nil {
		return nil, err
	}
	m := &manifest{}
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("%s in %s is damaged: %w", manifestName, root.Name(), err)
	}
	if m.Format > format {
		return nil, fmt.Errorf("the backup in %s was made by Portico %s in a newer form. Use that version, or a newer one", root.Name(), m.Version)
	}
	if hash, err := m.hash(); err != nil || hash != m.Check {
		return nil, fmt.Errorf("%s in %s is damaged: %w", manifestName, root.Name(), cmp.Or(err, errDiffers))
	}
	return m, nil
}

// readObjects reads a list of objects, by their keys. It skips lines that are damaged, as the last
// one of a process that was killed may be.
func readObjects(r io.Reader) (map[string]object, error) {
	objects := map[string]object{}
	lines := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		var o object
		if json.Unmarshal(line, &o) == nil && storage.CheckKey(o.Key) == nil {
			objects[o.Key] = o
		}
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read the list of objects: %w", err)
		}
	}
}

// writeObjects writes a list of objects.
func writeObjects(w io.Writer, objects map[string]object) error {
	buffered := bufio.NewWriterSize(w, 1<<20)
	encoder := json.NewEncoder(buffered)
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		if err := encoder.Encode(objects[key]); err != nil {
			return err
		}
	}
	return buffered.Flush()
}
