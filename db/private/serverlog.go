package private

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	// maxServerLog is the size above which the log is emptied at a start. A
	// private server says little; this only keeps it from growing for years.
	maxServerLog = 10 << 20
	// maxTail is how much of the log an error message quotes.
	maxTail = 2 << 10
)

// serverLog is the file that the server's words go to. A file, not a pipe to
// us, because the server still writes when we have been killed.
type serverLog struct {
	*os.File
	begin int64 // where this start's lines begin
}

// openServerLog opens the log for appending.
func openServerLog(p place) (*serverLog, error) {
	f, err := p.account.openFile(p.path("server.log"), os.O_RDWR|os.O_APPEND)
	if err != nil {
		return nil, fmt.Errorf("open the log of the server: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.Size() > maxServerLog {
		err = f.Truncate(0)
	}
	begin, seekErr := f.Seek(0, io.SeekEnd)
	if err := errors.Join(err, seekErr); err != nil {
		return nil, errors.Join(fmt.Errorf("open the log of the server: %w", err), f.Close())
	}
	return &serverLog{File: f, begin: begin}, nil
}

// tail returns the last lines of this start, for an error message.
func (l *serverLog) tail() string {
	end, err := l.Seek(0, io.SeekEnd)
	if err != nil {
		return err.Error()
	}
	from := max(l.begin, end-maxTail)
	text := make([]byte, end-from)
	if _, err := l.ReadAt(text, from); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}
