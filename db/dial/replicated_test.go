package dial

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/iotest"
)

// message returns a message of Postgres.
func message(kind byte, content string) string {
	return string(binary.BigEndian.AppendUint32([]byte{kind}, uint32(4+len(content)))) + content
}

// unreplicated is the warning of a server whose commit was to wait for its standby, in French.
var unreplicated = message('N', "SATTENTION\x00VWARNING\x00C01000\x00Mannulation de l'attente de la réplication\x00Fsyncrep.c\x00"+unreplicatedField+"\x00")

func TestReplicated_breaks_at_the_warning_alone(t *testing.T) {
	t.Parallel()
	const row = "\x00\x01\x00\x00\x00\x20N\x00\x00\x00\x04" + unreplicatedField
	for _, test := range []struct {
		name, sent string
		want       error
	}{
		{"a commit", message('C', "COMMIT\x00") + message('Z', "I"), io.EOF},
		{"another warning", message('N', "SWARNING\x00C01000\x00Rexec_stmt_raise\x00\x00") + message('C', "COMMIT\x00"), io.EOF},
		{"a row with the same words", message('D', row) + message('C', "SELECT 1\x00"), io.EOF},
		{"the warning", message('D', row) + unreplicated + message('C', "COMMIT\x00"), errNotReplicated},
		{"a message of no length", "Z\x00\x00\x00\x00" + unreplicated, errNotReplicated},
	} {
		for name, chunks := range map[string]func(io.Reader) io.Reader{"at once": iotest.DataErrReader, "byte by byte": iotest.OneByteReader} {
			server, client := net.Pipe()
			r := &replicated{Conn: reading{client, chunks(strings.NewReader(test.sent))}}
			_, err := io.Copy(io.Discard, readerOnly{r})
			if !errors.Is(err, test.want) && (err != nil || test.want != io.EOF) {
				t.Errorf("%s, %s: got %v, want %v", test.name, name, err, test.want)
			}
			_ = server.Close()
		}
	}
}

// reading is a connection that reads from elsewhere.
type reading struct {
	net.Conn
	from io.Reader
}

// Read implements net.Conn.
func (r reading) Read(p []byte) (int, error) { return r.from.Read(p) }

// readerOnly hides what else a connection has.
type readerOnly struct{ io.Reader }
